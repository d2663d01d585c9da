import type { FastifyInstance, FastifyRequest } from 'fastify'

import { problems } from '../../errors/problems.ts'
import type { Point } from '../../geo/shapes.ts'
import { setLastModified, findLastModified } from '../../http/caching/validators.ts'
import { negotiateLanguage } from '../../http/formats/content-types.ts'
import { LICENCE_LINK } from '../../http/formats/feature-collection.ts'
import { toCategory } from '../../issues/categories.ts'
import { type Language, textsIn } from '../../locales/texts.ts'
import { categoryWords } from '../../request-types/match-words.ts'
import {
  type ServiceRow,
  findRequestType,
  listRequestTypeIds,
  listServices,
  oneRequestTypeChangeTimes,
} from '../../request-types/queries.ts'
import type { RequestTypeQuestion } from '../../request-types/schema.ts'
import type { Services } from '../../services.ts'
import { areasUrl } from '../areas/routes.ts'
import { suffixes, withoutSuffix, sendDocument } from '../formats/send.ts'
import { isId, knownParameters, readParameters, readPoint } from '../input/body.ts'
import { findJurisdiction, type Jurisdiction, roots } from '../input/jurisdiction.ts'

/** The service code of issues without a request type. */
export const OTHER_CODE = 'other'

type Service = ReturnType<typeof toService>

function toService({ id, title, category, organization, has_own_questions }: ServiceRow, language: Language) {
  const texts = textsIn(language)
  const known = toCategory(category)
  return {
    service_code: String(id),
    service_name: title,
    description: organization === null ? texts('georeportService.community') : texts('georeportService.sentTo', { organization }),
    metadata: has_own_questions,
    type: 'realtime',
    keywords: categoryWords[known]?.join(', ') ?? null,
    group: known,
  }
}

const toOtherService = (language: Language): Service => ({
  service_code: OTHER_CODE,
  service_name: textsIn(language)('otherRequestType.title'),
  description: textsIn(language)('georeportService.community'),
  metadata: false,
  type: 'realtime',
  keywords: null,
  group: toCategory(OTHER_CODE),
})

const datatypes: Readonly<Record<RequestTypeQuestion['question_type'], string>> = {
  text: 'string',
  textarea: 'text',
  select: 'singlevaluelist',
  multivaluelist: 'multivaluelist',
  number: 'number',
  datetime: 'datetime',
  boolean: 'singlevaluelist',
  note: 'text',
  file: 'string',
}

/** Built-in questions whose answers are the fields `description` and `media` of a service request. */
const fieldKeys = ['summary', 'description', 'issue_image']

export const isAttribute = ({ primary_key }: RequestTypeQuestion): boolean => !fieldKeys.includes(primary_key)

/** Returns the definition of a service. The answer to a question is sent as `attribute[code]`. */
function toServiceDefinition(code: string, questions: readonly RequestTypeQuestion[], language: Language) {
  const attributes = questions.filter(isAttribute).map((question, index) => toAttribute(question, index + 1, language))
  return { service_code: code, attributes }
}

function toAttribute(question: RequestTypeQuestion, order: number, language: Language) {
  const { primary_key, question_type, response_required, answer_kept_private } = question
  const isNote = question_type === 'note'
  const texts = textsIn(language)
  const hints = [
    ...(question_type === 'file' ? [texts('georeportService.file')] : []),
    ...(answer_kept_private && !isNote ? [texts('georeportService.keptPrivate')] : []),
  ]
  return {
    variable: !isNote,
    code: primary_key,
    datatype: datatypes[question_type],
    required: response_required && !isNote,
    datatype_description: hints.length > 0 ? hints.join(' ') : null,
    order,
    description: question.question,
    values: listValues(question, language),
  }
}

function listValues({ question_type, select_values }: RequestTypeQuestion, language: Language) {
  const texts = textsIn(language)
  if (question_type === 'boolean') {
    return [
      { key: 'true', name: texts('georeportService.yes') },
      { key: 'false', name: texts('georeportService.no') },
    ]
  }
  return (select_values ?? []).map(({ key, name }) => ({ key, name }))
}

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
