import type { FastifyInstance, FastifyRequest } from 'fastify'
import { text } from '../../locales/texts.ts'
import type { Downloads } from '../../gis/downloads/downloads.ts'
import { refuseOgcParameters } from '../../gis/refuse-ogc-parameters.ts'
import { CSV_TYPE } from '../../http/formats/content-types.ts'
import { idMax } from '../../http/schema/fields.ts'
import type { Services } from '../../services.ts'
import { findJurisdiction, roots } from '../input/jurisdiction.ts'
import { invalidParameter, knownParameters, type Parameters, readInteger, readParameters } from '../input/parameters.ts'
import { readAnyPeriod } from '../requests/period.ts'
import { filterNames, listNames, readFilter } from '../requests/query.ts'
import { bulkTable, bulkWriter } from './table.ts'

const PATH = '/bulk/requests.csv'
/** A client that asks for pages would get all service requests with every page. */
const refused = ['service_request_id', 'page', 'page_size', 'extensions']
const options = {
  config: knownParameters([...filterNames, ...refused, 'after_id'], listNames),
  // The download itself compresses text, with an encoding that is fast.
  compress: false as const,
}

/** Bulk downloads have the limits of whole downloads. */
export const isBulkDownload = (request: FastifyRequest): boolean => request.routeOptions.url?.endsWith(PATH) === true

/** GET all service requests of one snapshot as CSV (GeoReport Bulk). */
export function addBulkRoutes(
  app: FastifyInstance,
  { areas, clock, db, downloads, urls }: Services & { readonly downloads: Downloads },
): void {
  const reader = { query: db.read }

  for (const root of roots) {
    app.get(`${root}${PATH}`, options, async (request, reply) => {
      await downloads.send(request, reply, async () => {
        const parameters = readParameters(request, listNames)
        refuseParametersOfLists(parameters)
        refuseOgcParameters(request)
        const jurisdiction = await findJurisdiction(reader, request, parameters)
        const filter = await readFilter(parameters, jurisdiction, { reader, areas, period: readAnyPeriod(parameters) })
        const afterId = readInteger(parameters, 'after_id', { min: 0, max: idMax })
        const filename = `service-requests-${clock().toISOString().slice(0, 10)}.csv`
        const contentType = `${CSV_TYPE}; header=present`
        return { filename, contentType, isText: true, table: bulkTable({ filter, afterId }, urls), openWriter: bulkWriter }
      })
      return reply
    })
  }
}

function refuseParametersOfLists(parameters: Parameters): void {
  const name = refused.find((one) => parameters.has(one))
  if (name !== undefined) throw invalidParameter(name, text('not_in_bulk_downloads'))
}
