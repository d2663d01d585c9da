import Type, { type Static } from 'typebox'

import {
  Count,
  type Executable,
  Id,
  leftJoin,
  optimizationFence,
  type Queryable,
  type Sql,
  sql,
  Timestamp,
} from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { isInAreaByCoordinates } from '../../geo/area.ts'
import { cellsAround } from '../../geo/pyramid/area-cells.ts'
import type { Cell } from '../../geo/pyramid/cells.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { nonAreaPredicates, visible } from '../list/conditions.ts'
import type { IssueFilter } from '../list/filter.ts'
import { issueColumns, IssueRow, relatedColumns } from '../queries.ts'
import {
  type ChangesPosition,
  ChangesPosition as Position,
  isGone,
  laterPosition,
  positionColumns,
} from '../../issue-lifecycle/changes-cursor.ts'

/** This limits the rows of the log that one request reads: some 100 ms. */
const SCANNED_MAX = 50_000

export interface Change {
  readonly id: number
  readonly kind: 'created' | 'changed' | 'gone'
  readonly at: string
  /** The cells in which it was and is. */
  readonly cells: readonly Cell[]
  /** The issue as it is now; null if it is not in the list. */
  readonly issue: IssueRow | null
}

export interface ChangesPage {
  readonly changes: readonly Change[]
  readonly next: ChangesPosition
  readonly hasMore: boolean
}

export interface ChangesRequest {
  readonly filter: IssueFilter
  readonly viewer: Viewer | null
  readonly since: ChangesPosition
  /** The position before which changes are read, so that clients end at one position; by default the present one. */
  readonly until?: ChangesPosition | undefined
  readonly limit: number
}

/**
 * Returns the changes of a list after a position, each issue once, in the order of the last change. An issue that left the list, is hidden or was deleted is
 * `gone`; so are some that were never in the list, because the log does not have all columns that filters compare.
 * @throws Problem 410 `{reset: true}` if changes after the position may be missing
 */
export async function readChanges(reader: Queryable, request: ChangesRequest): Promise<ChangesPage> {
  const { filter, viewer, since, until } = request
  const rows = await reader.query(sql.type(ChangeRow)`${changesStatement(request)}`)
  const [page] = rows
  if (!page) throw new Error('A query with a left join returned no row')
  const current = {
    log: page.log,
    xid: Math.min(page.xid, until?.xid ?? Infinity),
    issue_id: page.issue_id,
    at: until?.at ?? page.at,
  }
  if (isGone(since, current) || page.is_unknown) throw problems.changesGone()
  const changed = rows.flatMap((row) => (row.id === null ? [] : [row]))
  const listed = await listChanged(
    reader,
    filter,
    viewer,
    changed.map(({ id }) => id),
  )
  const issues = new Map(listed.map((issue) => [issue.id, issue]))
  return {
    changes: changed.flatMap((row) => toChange(row, issues.get(row.id))),
    next:
      page.end_xid === null
        ? laterPosition(current, since)
        : { log: page.log, xid: page.end_xid, issue_id: page.end_issue_id ?? -1, at: page.end_at ?? page.at },
    hasMore: page.end_xid !== null,
  }
}

/** @param issue the issue as it is now, if it is in the list */
export function toChange({ id, changed_at: at, cells, is_created, was_listed }: ChangedRow, issue: IssueRow | undefined): Change[] {
  if (issue) return [{ id, kind: is_created ? 'created' : 'changed', at, cells, issue }]
  return was_listed ? [{ id, kind: 'gone', at, cells, issue: null }] : []
}

const ChangedRow = Type.Object({
  id: Id,
  changed_at: Timestamp,
  cells: Type.Array(Id),
  is_created: Type.Boolean(),
  was_listed: Type.Boolean(),
})
type ChangedRow = Static<typeof ChangedRow>
const ChangeRow = leftJoin(
  Type.Object({
    ...Position.properties,
    /** The end of the page if more rows of the log follow. */
    end_xid: Type.Union([Count, Type.Null()]),
    end_issue_id: Type.Union([Type.Integer(), Type.Null()]),
    end_at: Type.Union([Type.Integer(), Type.Null()]),
    is_unknown: Type.Boolean(),
  }),
  ChangedRow,
)
type ChangeRow = Static<typeof ChangeRow>

/** All rows of a transaction and issue are on one page (WITH TIES), because the position is after them. */
function changesStatement({ filter, since, until, limit }: ChangesRequest): Sql {
  const inOrder = sql`ORDER BY c.xid, c.issue_id`
  const keepsAll = filter.updatedBefore === undefined
  return sql`
  WITH scanned AS MATERIALIZED (
    SELECT c.* FROM public_issue_changes c
    WHERE (c.xid, c.issue_id) > (${since.xid}::bigint, ${since.issue_id}::integer) AND c.xid < least(${until?.xid ?? null}::bigint, pg_snapshot_xmin(pg_current_snapshot())::text::bigint)
    ${inOrder} FETCH FIRST (${SCANNED_MAX}::bigint) ROWS WITH TIES),
  around AS MATERIALIZED (SELECT c.* FROM scanned c WHERE ${isAround(filter)}),
  page AS MATERIALIZED (SELECT c.* FROM around c ${inOrder} FETCH FIRST (${limit}::bigint) ROWS WITH TIES),
  last AS (
    SELECT c.xid, c.issue_id, c.changed_at FROM (
      SELECT p.xid, p.issue_id, p.changed_at FROM page p WHERE (SELECT count(*) FROM page) < (SELECT count(*) FROM around)
      UNION ALL
      SELECT s.xid, s.issue_id, s.changed_at FROM scanned s
      WHERE (SELECT count(*) FROM page) = (SELECT count(*) FROM around) AND (SELECT count(*) FROM scanned) >= ${SCANNED_MAX}::bigint) c
    ORDER BY c.xid DESC, c.issue_id DESC LIMIT 1),
  change AS (
    SELECT c.issue_id AS id, max(c.xid) AS last_xid, max(c.changed_at) AS changed_at, jsonb_agg(DISTINCT c.cell) AS cells,
      bool_or(c.former_status IS NULL) AND NOT bool_or(c.status IS NULL) AS is_created,
      bool_or(c.former_status::text = ANY(${filter.statuses}::text[]) AND NOT (c.keeps_filters AND ${keepsAll}::boolean)) IS TRUE AS was_listed
    FROM page c GROUP BY c.issue_id)
  SELECT current.*, last.xid AS end_xid, last.issue_id AS end_issue_id, (extract(epoch FROM last.changed_at) * 1000)::bigint AS end_at,
    EXISTS (SELECT FROM scanned s WHERE s.issue_id = 0) AS is_unknown, change.id, change.changed_at, change.cells, change.is_created, change.was_listed
  FROM (SELECT ${positionColumns(filter.area)}) current LEFT JOIN last ON TRUE LEFT JOIN change ON TRUE
  ORDER BY change.last_xid, change.id`
}

/** Returns the condition that a change `c` was near the area: few cells are enough, because the issue itself is compared exactly. */
const isAround = ({ area }: IssueFilter): Sql => sql`c.cell <@ (
    SELECT range_agg(int8range(first_cell_in(around.cell), last_cell_in(around.cell) + 1)) FROM unnest(${cellsAround(area)}) around (cell))`

/** Returns those of the issues that are in the list. The fence keeps this a lookup by key for each issue. */
export function listChanged(
  reader: Queryable,
  filter: IssueFilter,
  viewer: Viewer | null,
  ids: readonly number[],
): Promise<IssueRow[]> {
  if (ids.length === 0) return Promise.resolve([])
  const conditions = [visible(filter.statuses), isInAreaByCoordinates(filter.area), ...nonAreaPredicates(filter)]
  return reader.query(sql.type(IssueRow)`
    SELECT ${issueColumns}, ${relatedColumns(viewer)}
    FROM (SELECT issues.* FROM issues WHERE issues.id = ANY(${ids}::integer[]) ${optimizationFence}) i
    WHERE ${conditions.map((condition) => sql`(${condition})`).reduce((all, one) => sql`${all} AND ${one}`)}`)
}

/** Deletes at most `size` of the oldest changes that no cursor needs, and returns their number. */
export function deleteOldChanges(db: Executable, before: Date, size: number): Promise<number> {
  return db.execute(sql`
    DELETE FROM past_issue_changes c WHERE c.ctid = ANY(ARRAY(
      SELECT oldest.row_id FROM (
        SELECT p.ctid AS row_id, p.changed_at FROM past_issue_changes p ORDER BY p.xid, p.issue_id LIMIT ${size}::integer) oldest
      WHERE oldest.changed_at < ${before}))`)
}
