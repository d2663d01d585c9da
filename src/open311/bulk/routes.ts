import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'

import { text } from '../../locales/texts.ts'
import type { Downloads } from '../../gis/downloads/downloads.ts'
import { refuseOgcParameters } from '../../gis/query.ts'
import { CSV_TYPE } from '../../http/formats/content-types.ts'
import { idMax, toNullableTimestamp, toTimestamp } from '../../http/schema/fields.ts'
import type { Services } from '../../services.ts'
import { findJurisdiction, roots } from '../input/jurisdiction.ts'
import { invalidParameter, knownParameters, type Parameters, readInteger, readParameters } from '../input/body.ts'
import { readAnyPeriod, filterNames, listNames, readFilter } from '../requests/query.ts'
import { nullable, Timestamp, sql } from '../../database/database.ts'
import type { Column } from '../../gis/columns.ts'
import type { FeatureTable } from '../../gis/downloads/spool.ts'
import { type Feature, type OpenWriter, textWriter } from '../../gis/downloads/writer.ts'
import { featureCsv } from '../../http/formats/csv.ts'
import { attributionText, licenceText } from '../../http/formats/feature-collection.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { IssueFilter } from '../../issues/list/filter.ts'
import { requestTypeJoins } from '../../issues/records/columns.ts'
import { recordsStatement } from '../../issues/records/queries.ts'
import { IssueRow } from '../../issues/queries.ts'
import { openStatuses, toDescription, toServiceName, toUpdatedDatetime } from '../requests/present.ts'

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
  for (const root of roots) {
    app.get(`${root}${PATH}`, options, async (request, reply) => {
      await downloads.send(request, reply, async () => {
        const parameters = readParameters(request, listNames)
        refuseParametersOfLists(parameters)
        refuseOgcParameters(request)
        const jurisdiction = await findJurisdiction(db.reader, request, parameters)
        const period = readAnyPeriod(parameters, clock())
        const filter = await readFilter(parameters, jurisdiction, { reader: db.reader, areas, period })
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

const BulkRow = Type.Object({
  ...Type.Pick(IssueRow, ['id', 'status', 'summary', 'description', 'lng', 'lat', 'address', 'closed_at', 'updated_at']).properties,
  created_at: Timestamp,
  request_type: nullable(Type.String()),
  organization: nullable(Type.String()),
})
type BulkRow = Static<typeof BulkRow>

const rowColumns = {
  columns: sql`
    i.id, i.status, i.summary, i.description, i.lng, i.lat, i.address, i.created_at, i.updated_at, i.closed_at,
    request_types.title AS request_type, organizations.name AS organization`,
  joins: requestTypeJoins,
}

/** The fields of GeoReport Bulk in the order of its specification, https://wiki.open311.org/GeoReport/bulk */
const columns: readonly Column[] = [
  ...['service_request_id', 'requested_datetime', 'updated_datetime', 'closed_date', 'status_description', 'status_notes'],
  ...['source', 'service_name', 'service_subtype', 'description', 'agency_responsible', 'address'],
  ...['lat', 'long'],
].map((name) => ({ name, type: 'text', isNullable: true, description: undefined }))

interface BulkSelection {
  readonly filter: IssueFilter
  readonly afterId: number | undefined
}

/** Returns the public issues of a filter as rows of GeoReport Bulk, sorted by id, for a whole download. */
const bulkTable = ({ filter, afterId }: BulkSelection, urls: Urls): FeatureTable => ({
  area: filter.area,
  layer: {
    name: 'service-requests',
    title: 'Service requests',
    geometry: 'Point',
    columns,
    licence: licenceText,
    attribution: attributionText(urls),
  },
  async *read(snapshot) {
    const statement = recordsStatement({ filter, afterId, rowColumns })
    for await (const rows of snapshot.batches(sql.type(BulkRow)`${statement}`)) yield rows.map(toFeature)
  },
})

function toFeature(row: BulkRow): Feature {
  const { id, status, lng, lat } = row
  // A reopened issue keeps the time of its last closing.
  const closedDate = openStatuses.includes(status) ? null : toNullableTimestamp(row.closed_at)
  const values = [
    ...[String(id), toTimestamp(row.created_at), toUpdatedDatetime(row), closedDate, status, status],
    ...[null, toServiceName(row.request_type), null, toDescription(row), row.organization, row.address],
    ...[lat, lng],
  ]
  return { id, geometry: { type: 'Point', coordinates: [lng, lat] }, values }
}

/** Writes CSV (RFC 4180). The columns have the coordinates already. */
const bulkWriter: OpenWriter = textWriter(({ columns: written }) => {
  const { header, toRow } = featureCsv({ columns: written.map(({ name }) => name), hasPoints: false })
  return { start: header, encode: ({ values }) => toRow(values), end: () => '' }
})
