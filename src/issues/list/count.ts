import { join, type Queryable, type Sql, sql } from '../../database/database.ts'
import { prepared } from '../../database/prepared.ts'
import { aroundOf, cellsOf } from '../../geo/pyramid/area-cells.ts'
import { heldAround, totalIn, totalsIn } from '../../geo/pyramid/totals.ts'
import type { Viewer } from '../../http/auth/access.ts'
import type { Status } from '../../issue-lifecycle/status.ts'
import { type IssueFilter, isOfArea } from './filter.ts'
import { givenFor, matching } from './statement.ts'
import { changesFor, type ListVersion, versionColumns, versionFrom } from './version.ts'
import { inTable, wantedOf } from './wanted.ts'

/*
 * How many issues there are. Whatever asks for an area and statuses only is summed from the pyramid (docs/adr/0031), everything else is counted
 * one by one in the best index; both are exact.
 */

export interface IssueTotal {
  /** The exact number of issues over all pages. */
  readonly entries: number
  /** About how many issues there are at all, as the planner believes. */
  readonly inTable: number
}

export async function countIssues(db: Queryable, filter: IssueFilter): Promise<IssueTotal> {
  const { given, entries, mark } = counted(filter)
  const [total] = await db.query<IssueTotal>(mark(sql`${given} SELECT ${entries} AS entries, ${inTable} AS "inTable"`))
  return total ?? { entries: 0, inTable: 0 }
}

/** The total together with the version of the list, at one moment; undefined where no version may be told or the cells do not know it. */
export async function countWithVersion(
  reader: Queryable,
  filter: IssueFilter,
  viewer: Viewer | null,
): Promise<{ readonly version: ListVersion | undefined; readonly total: IssueTotal }> {
  const around = aroundOf(filter.area)
  const kept = changesFor(viewer)
  if (!around || !kept) return { version: undefined, total: await countIssues(reader, filter) }
  const { given, entries, mark } = counted(filter)
  const [row] = await reader.query<IssueTotal & ListVersion>(
    mark(sql`
      ${given} SELECT ${entries} AS entries, ${inTable} AS "inTable", h.changes, ${versionColumns(filter.area, viewer)}
      FROM (${heldAround(around, () => sql`0`, kept)}) h`),
  )
  if (!row) throw new Error('a count has no row')
  return { version: versionFrom(row, viewer), total: row }
}

/** The number as a scalar, and what stands before it. What is counted one by one needs the plan of its own values, the others have one text of few. */
function counted(filter: IssueFilter): { readonly given: Sql; readonly entries: Sql; readonly mark: (statement: Sql) => Sql } {
  const cells = isOfArea(filter) ? cellsOf(filter.area) : null
  if (cells?.areFitting) {
    const entries = sql`(SELECT coalesce(n.entries, 0) FROM (${totalIn(cells, wantedOf(filter.statuses))}) n)`
    return { given: sql`WITH RECURSIVE ${cells.given}`, entries, mark: prepared }
  }
  const entries = sql`(SELECT count(*)::integer FROM (${matching(filter, sql`i.id`)}) i)`
  return { given: givenFor(filter), entries, mark: (statement) => statement }
}

export type CountByStatus = Readonly<Partial<Record<Status, number>>>

/** How many issues of each status the filter asks for; a status without any is absent. */
export async function countIssuesByStatus(db: Queryable, filter: IssueFilter): Promise<CountByStatus> {
  const cells = isOfArea(filter) ? cellsOf(filter.area) : null
  if (cells?.areFitting) {
    const [row] = await db.query<Totals>(prepared(sql`WITH RECURSIVE ${cells.given} ${totalsIn(cells)}`))
    const counts = filter.statuses.map((status): [Status, number] => [status, row ? countOf(row, status) : 0])
    return Object.fromEntries(counts.filter(([, issues]) => issues > 0))
  }
  const rows = await db.query<{ status: Status; issues: number }>(sql`
    ${givenFor(filter)} SELECT i.status, count(*)::integer AS issues FROM (${matching(filter, sql`i.status`)}) i GROUP BY i.status ORDER BY i.status`)
  return Object.fromEntries(rows.map(({ status, issues }) => [status, issues]))
}

/** A row of `totalsIn`. */
type Totals = Readonly<Record<'open' | 'acknowledged' | 'closed' | 'archived', number | null>>

function countOf(totals: Totals, status: Status): number {
  switch (status) {
    case 'Open':
      return totals.open ?? 0
    case 'Acknowledged':
      return totals.acknowledged ?? 0
    case 'Closed':
      return totals.closed ?? 0
    case 'Archived':
      return totals.archived ?? 0
  }
}

/** How many open issues lie in each of these places, by the place's id. */
export async function countOpenIssues(
  db: Queryable,
  places: readonly { readonly id: number; readonly center_lng: number; readonly center_lat: number }[],
): Promise<ReadonlyMap<number, number>> {
  if (places.length === 0) return new Map()
  const counts = places.flatMap(({ id, center_lng: lng, center_lat: lat }) => {
    const cells = cellsOf({ kind: 'place', placeId: id, centre: { lng, lat } })
    const open = cells && sql`WITH RECURSIVE ${cells.given} ${totalIn(cells, wantedOf(['Open']))}`
    return open ? [sql`SELECT ${id}::integer AS id, coalesce(n.entries, 0) AS issues FROM (${open}) n`] : []
  })
  const rows = await db.query<{ id: number; issues: number }>(join(counts, ' UNION ALL '))
  return new Map(rows.map(({ id, issues }) => [id, issues]))
}
