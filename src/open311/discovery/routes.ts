import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import { toTimestamp } from '../../http/schema/fields.ts'
import { listOrganizations } from '../../organizations/queries.ts'
import { findLatestRequestTypeChange } from '../../request-types/queries.ts'
import type { Services } from '../../services.ts'
import { areasUrl } from '../areas/routes.ts'
import { requestedFormat, suffixes, render } from '../formats/send.ts'
import { findJurisdiction, type Jurisdiction, roots } from '../input/jurisdiction.ts'
import { knownParameters, readParameters } from '../input/body.ts'

const SPECIFICATION = 'http://wiki.open311.org/GeoReport_v2'
/** The types that a discovery document names and has, without the charset that the other responses name. */
const mediaTypes = { json: 'application/json', xml: 'text/xml' } as const

const options = { config: knownParameters([]) }

/** Service discovery: the endpoints of the whole service and of each organisation. An endpoint itself has the document with its own entry. */
export function addDiscoveryRoutes(app: FastifyInstance, { config, db, urls }: Services): void {
  for (const suffix of suffixes) {
    app.get(`/discovery${suffix}`, async (request, reply) => sendDiscovery(request, reply, undefined))
  }
  for (const root of roots) {
    app.get(root, options, async (request, reply) =>
      sendDiscovery(request, reply, await findJurisdiction(db.reader, request, readParameters(request))),
    )
  }

  async function sendDiscovery(request: FastifyRequest, reply: FastifyReply, jurisdiction: Jurisdiction) {
    const changeset = toTimestamp(await findLatestRequestTypeChange(db.reader))
    const organizations = jurisdiction ? [jurisdiction] : await listOrganizations(db.reader)
    const endpoint = (path: string, jurisdictionId: string | null) => ({
      specification: SPECIFICATION,
      url: urls.at(`/open311/v2${path}`),
      changeset,
      type: 'production',
      formats: [mediaTypes.xml, mediaTypes.json],
      jurisdiction_id: jurisdictionId,
      service_area_url: areasUrl(urls, path),
    })
    const value = {
      changeset,
      contact: config.contact ?? `See ${urls.at('/about')}`,
      key_service: `Log in and create a token at ${urls.at('/account/tokens')}. Reading needs no key.`,
      endpoints: [...(jurisdiction ? [] : [endpoint('', null)]), ...organizations.map(({ id, name }) => endpoint(`/${id}`, name))],
    }
    const format = requestedFormat(request)
    const body = render({ root: 'discovery', value }, format)
    // Fastify adds a charset to the type of a text.
    return reply.type(mediaTypes[format]).send(Buffer.from(body))
  }
}
