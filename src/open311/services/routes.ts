import type { FastifyInstance, FastifyRequest } from 'fastify'

import type { Language } from '../../locales/texts.ts'
import { problems } from '../../errors/problems.ts'
import type { Point } from '../../geo/point.ts'
import { setLastModified } from '../../http/caching/conditional.ts'
import { findLastModified } from '../../http/caching/last-modified.ts'
import { negotiateLanguage } from '../../http/errors/text-language.ts'
import { LICENCE_LINK } from '../../http/formats/licence.ts'
import {
  findRequestType,
  listRequestTypeIds,
  listServices,
  oneRequestTypeChangeTimes,
  type ServiceRow,
} from '../../request-types/queries.ts'
import type { Services } from '../../services.ts'
import { areasUrl } from '../areas/present.ts'
import { suffixes, withoutSuffix } from '../formats/format.ts'
import { sendDocument } from '../formats/send.ts'
import { findJurisdiction, type Jurisdiction, roots } from '../input/jurisdiction.ts'
import { isId, knownParameters, readParameters } from '../input/parameters.ts'
import { readPoint } from '../input/point.ts'
import { OTHER_CODE, toOtherService, toService, toServiceDefinition } from './present.ts'

const options = { config: knownParameters(['lat', 'long']) }

/** GET services, and the definition of a service: which attributes a service request of it has. */
export function addServiceRoutes(app: FastifyInstance, { db, urls }: Services): void {
  for (const root of roots) {
    for (const suffix of suffixes) {
      app.get(`${root}/services${suffix}`, options, async (request, reply) => {
        const language = negotiateLanguage(request)
        const { services, jurisdiction } = await readServices(request, language)
        const value = services.map((service) => toService(service, language))
        if (!jurisdiction) value.push(toOtherService(language))
        const areas = areasUrl(urls, jurisdiction ? `/${jurisdiction.id}` : '')
        const link = `<${areas}>; rel="related"; type="application/geo+json", ${LICENCE_LINK}`
        void reply.headers({ 'content-language': language, link })
        return sendDocument(request, reply, { root: 'services', value })
      })
    }

    app.get<{ Params: { code: string } }>(`${root}/services/:code`, options, async (request, reply) => {
      const code = withoutSuffix(request.params.code)
      const lastModified = isId(code) ? await findLastModified(db, oneRequestTypeChangeTimes(Number(code))) : null
      const language = negotiateLanguage(request)
      const { services, jurisdiction, point } = await readServices(request, language)
      const isOther = code === OTHER_CODE && !jurisdiction
      if (point && !isOther && !services.some(({ id }) => String(id) === code)) throw problems.notFound('the_service')
      const questions = isOther ? [] : await readQuestions(code, jurisdiction, language)
      void reply.header('content-language', language)
      const value = toServiceDefinition(code, questions, language)
      setLastModified(reply, lastModified)
      return sendDocument(request, reply, { root: 'service_definition', value })
    })
  }

  async function readServices(
    request: FastifyRequest,
    language: Language,
  ): Promise<{
    readonly services: readonly ServiceRow[]
    readonly jurisdiction: Jurisdiction
    readonly point: Point | undefined
  }> {
    const parameters = readParameters(request)
    const jurisdiction = await findJurisdiction(db.reader, request, parameters)
    const point = readPoint(parameters)
    return { services: await listServices(db.reader, { organizationId: jurisdiction?.id, point }, language), jurisdiction, point }
  }

  /** An inactive type has a definition too, because older service requests have its code. */
  async function readQuestions(code: string, jurisdiction: Jurisdiction, language: Language) {
    const type = isId(code) ? await findRequestType(db.reader, Number(code), language) : undefined
    const isListed = !jurisdiction || (await listRequestTypeIds(db.reader, jurisdiction.id)).includes(Number(code))
    if (!type || !isListed) throw problems.notFound('the_service')
    return type.questions
  }
}
