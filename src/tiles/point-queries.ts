import Type, { type Static } from 'typebox'

import { type Queryable, sql, prepared, nullable, join } from '../database/database.ts'
import { type Area, isInAreaByCoordinates } from '../geo/area.ts'
import type { Box } from '../geo/shapes.ts'
import { type TileAddress, bufferedBox, containsBox } from './tile-grid.ts'
import { type Status, statuses } from '../issue-lifecycle/status.ts'
import { type IssueFilter, hasOnlyAreaAndStatuses } from '../issues/list/filter.ts'
import { matchingIssues } from '../issues/list/statement.ts'
import { type TileVersion, TileVersionRow, tileVersionColumn } from './tile-version.ts'

export interface TilePoint {
  readonly id: number
  readonly status: Status
  readonly requestTypeId: number | null
  readonly rating: number
  readonly lng: number
  readonly lat: number
  readonly summary: string | null
  readonly address: string | null
}

/** More points have more than 500 kB, because each has at least 25 bytes. */
export const POINTS_MAX = 20_000

const PointsRow = Type.Object({
  ...TileVersionRow.properties,
  points: nullable(Type.String()),
  texts: nullable(Type.Array(Type.Tuple([Type.String(), nullable(Type.String())]))),
})

const RECORD_BYTES = 28
/** The rating is above these bits. */
const STATUS_BITS = 2

/** The values of a point as PostgreSQL sends them in binary, which is read several times as fast as text. */
const pointRecord = sql`int4send(i.id) || float8send(i.lng) || float8send(i.lat) || int4send(coalesce(i.request_type_id, 0))
  || int4send(i.rating << ${STATUS_BITS}::integer | CASE i.status ${join(
    statuses.map((status, n) => sql`WHEN ${status}::issue_status THEN ${n}::integer`),
    ' ',
  )} END)`

const texts = sql`json_agg((
  SELECT json_build_array(issues.summary, nullif(issues.address, '')) FROM issues WHERE issues.id = i.id))`

/** Returns the matching issues in a tile of zoom 1 or more and its buffer, or more than `POINTS_MAX` of them, sorted by id. */
export async function findTilePoints(
  reader: Queryable,
  tile: TileAddress,
  filter: IssueFilter,
  withTexts: boolean,
): Promise<{ readonly version: TileVersion; readonly points: readonly TilePoint[] }> {
  const box = bufferedBox(tile)
  const scanned: IssueFilter = { ...filter, area: { kind: 'box', box } }
  const statement = sql.type(PointsRow)`
    SELECT ${tileVersionColumn(box, filter)}, found.*
    FROM (
      SELECT encode(string_agg(${pointRecord}, ''), 'base64') AS points,
        ${withTexts ? texts : sql`NULL::json`} AS texts
      FROM (
        SELECT i.* FROM (${matchingIssues(scanned, sql`i.id, i.status, i.request_type_id, i.rating, i.lng, i.lat`)}) i
        WHERE ${contains(filter.area, box) ? sql`TRUE` : isInAreaByCoordinates(filter.area)} LIMIT ${POINTS_MAX + 1}::integer) i) found`
  if (hasOnlyAreaAndStatuses(filter)) prepared(statement)
  const [row] = await reader.query(statement)
  if (!row) throw new Error('The query for the points of a tile returned no row')
  return { version: row.version, points: readPoints(row.points, row.texts) }
}

const contains = (area: Area, box: Box) => area.kind === 'box' && containsBox(area.box, box)

function readPoints(base64: string | null, texts: Static<typeof PointsRow>['texts']): readonly TilePoint[] {
  const bytes = Buffer.from(base64 ?? '', 'base64')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from(recordsById(view), (n): TilePoint => {
    const at = n * RECORD_BYTES
    const ratingAndStatus = view.getInt32(at + 24)
    return {
      id: view.getInt32(at),
      lng: view.getFloat64(at + 4),
      lat: view.getFloat64(at + 12),
      requestTypeId: view.getInt32(at + 20) || null,
      rating: ratingAndStatus >> STATUS_BITS,
      status: statuses[ratingAndStatus & (2 ** STATUS_BITS - 1)] ?? 'Open',
      summary: texts?.[n]?.[0] ?? null,
      address: texts?.[n]?.[1] ?? null,
    }
  })
}

/** Returns the numbers of the records, sorted by id. Numbers are sorted in a fraction of the time of objects. */
function recordsById(view: DataView): Float64Array {
  const numbersMax = 2 ** 16
  const keys = new Float64Array(view.byteLength / RECORD_BYTES)
  for (let n = 0; n < keys.length; n++) keys[n] = view.getInt32(n * RECORD_BYTES) * numbersMax + n
  return keys.sort().map((key) => key % numbersMax)
}
