import Type, { type Static } from 'typebox'

import { nullable, Timestamp } from '../../database/columns.ts'
import { sql } from '../../database/database.ts'
import type { Column } from '../../gis/columns.ts'
import type { FeatureTable } from '../../gis/downloads/spool.ts'
import type { Feature, OpenWriter } from '../../gis/downloads/writer.ts'
import { textWriter } from '../../gis/downloads/text-writer.ts'
import { featureCsv } from '../../http/formats/csv.ts'
import { attributionText, licenceText } from '../../http/formats/licence.ts'
import type { Urls } from '../../http/request/urls.ts'
import { toNullableTimestamp, toTimestamp } from '../../http/schema/fields.ts'
import type { IssueFilter } from '../../issues/list/filter.ts'
import { requestTypeJoins } from '../../issues/records/columns.ts'
import { recordsStatement } from '../../issues/records/queries.ts'
import { IssueRow } from '../../issues/queries.ts'
import { openStatuses, toDescription, toServiceName, toUpdatedDatetime } from '../requests/present.ts'

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
export const bulkTable = ({ filter, afterId }: BulkSelection, urls: Urls): FeatureTable => ({
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
export const bulkWriter: OpenWriter = textWriter(({ columns: written }) => {
  const { header, toRow } = featureCsv({ columns: written.map(({ name }) => name), hasPoints: false })
  return { start: header, encode: ({ values }) => toRow(values), end: () => '' }
})
