import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon'
import type { MultiPolygon } from 'geojson'
import Type, { type Static } from 'typebox'

import { Count, Id, leftJoin, type Queryable, sql, stringEnum, Timestamp } from '../../database/database.ts'
import type { Area } from '../../geo/area.ts'
import type { Cell } from '../../geo/pyramid/cells.ts'
import { longitudeRanges, type Point } from '../../geo/shapes.ts'
import { ChangesPosition, isGone, positionColumns } from '../../issue-lifecycle/changes-cursor.ts'
import { statuses } from '../../issue-lifecycle/status.ts'
import { hasOnlyAreaAndStatuses } from '../list/filter.ts'
import type { IssueRow } from '../queries.ts'
import { type ChangesPage, type ChangesRequest, listChanged, toChange } from './queries.ts'

/* Changes that are read once for all clients that wait, and compared in memory with the area and the statuses of each. */

/** After more changes, such as those of an import, each client reads its own. */
const ISSUES_MAX = 1_000
const everywhere: Area = { kind: 'everywhere' }

/** All changes of an issue since the poll before. */
const Logged = Type.Object({
  id: Count,
  last_xid: Count,
  cells: Type.Array(Id),
  /** Its public statuses before changes that can decide a filter. */
  former: Type.Array(stringEnum(statuses)),
  is_created: Type.Boolean(),
  changed_at: Timestamp,
})
type Logged = Static<typeof Logged>
const PolledRow = leftJoin(ChangesPosition, Logged)
export type PolledIssues = ReadonlyMap<number, IssueRow>

/** The changes between two positions. */
export interface Poll {
  readonly from_xid: number
  readonly position: ChangesPosition
  /** The changes in each cell around which clients wait, of any level. */
  readonly changes: ReadonlyMap<Cell, readonly Logged[]>
}

/** The changes of a poll, for the clients around whose areas they are. */
export interface PollNews {
  readonly poll: Poll
  readonly issues: PolledIssues | undefined
}

/** Reads the changes since a transaction in the order of commits. All changes before the new position are visible. */
export async function readPoll(db: Queryable, from_xid: number | undefined, isWatched: (cell: Cell) => boolean): Promise<Poll> {
  const rows = await db.query(sql.type(PolledRow)`
    SELECT now.*, changed.id, changed.last_xid, changed.cells, changed.former, changed.is_created, changed.changed_at
    FROM (SELECT ${positionColumns(everywhere)}) now
    LEFT JOIN LATERAL (
      SELECT c.issue_id AS id, max(c.xid) AS last_xid, jsonb_agg(DISTINCT c.cell) AS cells, max(c.changed_at) AS changed_at,
        coalesce(array_agg(DISTINCT c.former_status::text) FILTER (WHERE c.former_status IS NOT NULL AND NOT c.keeps_filters), '{}') AS former,
        bool_or(c.former_status IS NULL) AND NOT bool_or(c.status IS NULL) AS is_created
      FROM public_issue_changes c WHERE c.xid >= ${from_xid ?? null}::bigint AND c.xid < now.xid GROUP BY c.issue_id) changed ON TRUE`)
  const [now] = rows
  if (!now) throw new Error('A query with a left join returned no row')
  const changes = new Map<Cell, Logged[]>()
  for (const row of rows) {
    if (row.id === null) continue
    for (const finest of row.cells)
      // The parent of a cell is a fourth of its number.
      for (let cell = finest; cell >= 1; cell = Math.floor(cell / 4))
        if (isWatched(cell)) changes.set(cell, [...(changes.get(cell) ?? []), row])
  }
  const { log, xid, issue_id, at } = now
  return { from_xid: from_xid ?? xid, position: { log, xid, issue_id, at }, changes }
}

/** Returns the public issues of a poll as they are now; undefined if each client must read its own. */
export async function listPolledIssues(db: Queryable, { changes }: Poll): Promise<PolledIssues | undefined> {
  const ids = new Set([...changes.values()].flatMap((inCell) => inCell.map(({ id }) => id)))
  // 0 stands for unknown issues.
  if (ids.size > ISSUES_MAX || ids.has(0)) return undefined
  const issues = await listChanged(db, { area: everywhere, statuses }, null, [...ids])
  return new Map(issues.map((issue) => [issue.id, issue]))
}

/**
 * Returns the page that `readChanges` would return for a client that has waited since its last page; undefined if memory does not have all that decides
 * it.
 * @param cells the cells around the area
 */
export function pageOfPoll(
  { poll, issues }: PollNews,
  { filter, viewer, since }: ChangesRequest,
  cells: readonly Cell[],
): ChangesPage | undefined {
  const isInside = areaTest(filter.area)
  if (!issues || !isInside || viewer || !hasOnlyAreaAndStatuses(filter)) return undefined
  if (since.issue_id !== -1 || since.xid > poll.from_xid || isGone(since, poll.position)) return undefined
  const around = [...new Set(cells.flatMap((cell) => poll.changes.get(cell) ?? []))].sort(
    (a, b) => a.last_xid - b.last_xid || a.id - b.id,
  )
  const isListed = (issue: IssueRow) => filter.statuses.includes(issue.status) && isInside(issue)
  return {
    changes: around.flatMap((change) => {
      const issue = issues.get(change.id)
      const was_listed = change.former.some((status) => filter.statuses.includes(status))
      return toChange({ ...change, was_listed }, issue && isListed(issue) ? issue : undefined)
    }),
    next: poll.position,
    hasMore: false,
  }
}

/** Returns undefined for an area whose shape only the database has. */
function areaTest(area: Area): ((point: Point) => boolean) | undefined {
  if (area.kind === 'everywhere') return () => true
  if (area.kind === 'polygon') {
    const polygon = JSON.parse(area.geojson) as MultiPolygon
    return ({ lng, lat }) => booleanPointInPolygon([lng, lat], polygon)
  }
  if (area.kind !== 'box') return undefined
  const { south, north } = area.box
  const ranges = longitudeRanges(area.box)
  return ({ lng, lat }) => lat >= south && lat <= north && ranges.some(([west, east]) => lng >= west && lng <= east)
}
