import Type from 'typebox'

import { nullable } from '../database/columns.ts'
import { type Queryable, sql } from '../database/database.ts'
import { prepared } from '../database/prepared.ts'
import { isInAreaByCoordinates } from '../geo/area.ts'
import { type Status, statuses } from '../issue-lifecycle/status.ts'
import { type IssueFilter, hasOnlyAreaAndStatuses } from '../issues/list/filter.ts'
import { cellCtes, matchingIssues } from '../issues/list/statement.ts'
import { bufferedBox, type TileAddress } from './tile-grid.ts'
import { TileVersionRow, tileVersionColumns, toTileVersion, type TileVersion } from './tile-version.ts'

export interface TilePoint {
  readonly id: number
  readonly status: Status
  readonly requestTypeId: number | null
  readonly rating: number
  readonly lng: number
  readonly lat: number
  readonly summary: string | null
}

/** A tile with more points has more than 500 kB and is read as a grid of clusters. */
export const POINTS_MAX = 12_000

const PointsRow = Type.Object({
  ...TileVersionRow.properties,
  points: nullable(Type.String()),
  summaries: nullable(Type.Array(Type.String())),
})

/** Returns the matching issues in a tile of zoom 1 or more and its buffer, or more than `POINTS_MAX` of them, sorted by id. */
export async function findTilePoints(
  reader: Queryable,
  tile: TileAddress,
  filter: IssueFilter,
  withSummaries: boolean,
): Promise<{ readonly version: TileVersion; readonly points: readonly TilePoint[] }> {
  const box = bufferedBox(tile)
  const tileFilter: IssueFilter = { ...filter, area: { kind: 'box', box } }
  // One text is read several times as fast as rows. The driver parses the summaries, which may contain any character.
  const statement = sql`
    ${cellCtes(tileFilter)}
    SELECT ${tileVersionColumns(box, filter)}, found.*
    FROM (
      SELECT string_agg(concat_ws(',', i.id, i.status, coalesce(i.request_type_id, 0), i.rating, i.lng, i.lat), ',') AS points,
        ${withSummaries ? sql`json_agg((SELECT issues.summary FROM issues WHERE issues.id = i.id))` : sql`NULL::json`} AS summaries
      FROM (
        SELECT i.* FROM (${matchingIssues(tileFilter, sql`i.id, i.status, i.request_type_id, i.rating, i.lng, i.lat`)}) i
        WHERE ${isInAreaByCoordinates(filter.area)} LIMIT ${POINTS_MAX + 1}::integer) i) found`
  const [row] = await reader.query(PointsRow, hasOnlyAreaAndStatuses(filter) ? prepared(statement) : statement)
  if (!row) throw new Error('The query for the points of a tile returned no row')
  const points = parsePoints(row.points, row.summaries)
  return { version: toTileVersion(row, filter), points: points.sort((a, b) => a.id - b.id) }
}

const COLUMNS = 6

/** One list of all values is several times as fast as a list for each point. */
function parsePoints(text: string | null, summaries: readonly string[] | null): TilePoint[] {
  const values = text === null ? [] : text.split(',')
  const points: TilePoint[] = []
  for (let n = 0; n < values.length; n += COLUMNS) {
    points.push({
      id: Number(values[n]),
      status: statuses.find((one) => one === values[n + 1]) ?? 'Open',
      requestTypeId: Number(values[n + 2]) || null,
      rating: Number(values[n + 3]),
      lng: Number(values[n + 4]),
      lat: Number(values[n + 5]),
      summary: summaries?.[n / COLUMNS] ?? null,
    })
  }
  return points
}
