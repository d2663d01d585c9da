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
const LOGGED_MAX = 20_000
const ISSUES_MAX = 1_000
const everywhere: Area = { kind: 'everywhere' }

/** The changes of an issue in a cell since the poll before. */
const Logged = Type.Object({
  id: Count,
  cell: Id,
  last_xid: Count,
  /** Its public statuses before changes that can decide a filter. */
  former: Type.Array(stringEnum(statuses)),
  /** True if it became public or came into the cell. */
  began: Type.Boolean(),
  ended: Type.Boolean(),
  changed_at: Timestamp,
})
type Logged = Static<typeof Logged>
const PolledRow = leftJoin(Type.Object({ ...ChangesPosition.properties, places_version: Type.String() }), Logged)
export type PolledIssues = ReadonlyMap<number, IssueRow>

/** The changes between two positions. */
export interface Poll {
  readonly from: ChangesPosition
  readonly position: ChangesPosition
  readonly places_version: string
  /** The changes in each cell of any level. Undefined if there are too many, if a place has changed, or after a restore: each client reads its own. */
  readonly changes: ReadonlyMap<Cell, readonly Logged[]> | undefined
}

/** The changes of a poll, for the clients around whose areas they are. */
export interface PollNews {
  readonly poll: Poll
  readonly issues: PolledIssues | undefined
}

/** Reads the changes since the poll before in the order of commits. All changes before the new position are visible. */
export async function readPoll(db: Queryable, before: Poll | undefined): Promise<Poll> {
  const rows = await db.query(sql.type(PolledRow)`
    SELECT now.*, changed.id, changed.cell, changed.last_xid, changed.former, changed.began, changed.ended, changed.changed_at
    FROM (SELECT ${positionColumns(everywhere)}, (SELECT v.version::text FROM table_versions v WHERE v.name = 'places') AS places_version) now
    LEFT JOIN LATERAL (
      SELECT c.issue_id AS id, c.cell, max(c.xid) AS last_xid, max(c.changed_at) AS changed_at,
        coalesce(array_agg(DISTINCT c.former_status::text) FILTER (WHERE c.former_status IS NOT NULL AND NOT c.keeps_filters), '{}') AS former,
        bool_or(c.former_status IS NULL) AS began, bool_or(c.status IS NULL) AS ended
      FROM public_issue_changes c WHERE c.xid >= ${before?.position.xid ?? null}::bigint AND c.xid < now.xid
      GROUP BY c.issue_id, c.cell LIMIT ${LOGGED_MAX + 1}::integer) changed ON TRUE`)
  const [now] = rows
  if (!now) throw new Error('A query with a left join returned no row')
  const { log, xid, issue_id, at, places_version } = now
  const position = { log, xid, issue_id, at }
  const poll = { from: before?.position ?? position, position, places_version }
  const isOther = before && (before.places_version !== places_version || before.position.log !== log)
  if (rows.length > LOGGED_MAX || isOther) return { ...poll, changes: undefined }
  const changes = new Map<Cell, Logged[]>()
  for (const row of rows) {
    if (row.id === null) continue
    // The parent of a cell is a fourth of its number.
    for (let cell = row.cell; cell >= 1; cell = Math.floor(cell / 4)) {
      const inCell = changes.get(cell)
      if (inCell) inCell.push(row)
      else changes.set(cell, [row])
    }
  }
  return { ...poll, changes }
}

/** Returns the public issues that a poll found in cells as they are now; undefined if each client must read its own. */
export async function listPolledIssues(db: Queryable, { changes }: Poll, cells: Iterable<Cell>): Promise<PolledIssues | undefined> {
  if (!changes) return undefined
  const ids = new Set([...cells].flatMap((cell) => changes.get(cell)?.map(({ id }) => id) ?? []))
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
  { filter, viewer, since, limit }: ChangesRequest,
  cells: readonly Cell[],
): ChangesPage | undefined {
  const isInside = areaTest(filter.area)
  if (!issues || !isInside || viewer || !hasOnlyAreaAndStatuses(filter)) return undefined
  if (since.issue_id !== -1 || since.xid > poll.from.xid || isGone(since, poll.position)) return undefined
  const around = new Set(cells.flatMap((cell) => poll.changes?.get(cell) ?? []))
  const byIssue = [...Map.groupBy(around, ({ id }) => id)].map(([id, rows]) => ({
    id,
    last_xid: Math.max(...rows.map(({ last_xid }) => last_xid)),
    changed_at: rows.map(({ changed_at }) => changed_at).reduce((a, b) => (a > b ? a : b)),
    cells: rows.map(({ cell }) => cell),
    is_created: rows.some(({ began }) => began) && !rows.some(({ ended }) => ended),
    was_listed: rows.some(({ former }) => former.some((status) => filter.statuses.includes(status))),
  }))
  if (byIssue.length > limit) return undefined
  const isListed = (issue: IssueRow) => filter.statuses.includes(issue.status) && isInside(issue)
  return {
    changes: byIssue
      .sort((a, b) => a.last_xid - b.last_xid || a.id - b.id)
      .flatMap((change) => {
        const issue = issues.get(change.id)
        return toChange(change, issue && isListed(issue) ? issue : undefined)
      }),
    next: poll.position,
    hasMore: false,
  }
}

/**
 * Returns the position of a client that has waited since its last news: around its area nothing has changed until the poll before. Clients with one position
 * share what is read.
 */
export const positionIn = ({ poll: { from, position } }: PollNews, since: ChangesPosition): ChangesPosition =>
  since.issue_id === -1 && since.xid <= from.xid && from.log === position.log ? { ...from, log: since.log } : since

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
