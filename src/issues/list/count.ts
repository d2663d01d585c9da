import Type, { type Static } from 'typebox'

import { Count, Id, nullable, stringEnum } from '../../database/columns.ts'
import { join, type Queryable, type Sql, sql } from '../../database/database.ts'
import { prepared } from '../../database/prepared.ts'
import { getAreaCover } from '../../geo/pyramid/area-cells.ts'
import { totalOfStatuses, totalsByStatus } from '../../geo/pyramid/totals.ts'
import { type Status, statuses } from '../../issue-lifecycle/status.ts'
import { type IssueFilter, hasOnlyAreaAndStatuses } from './filter.ts'
import { estimatedTableRows } from './scan-limit.ts'
import { cellCtes, matchingIssues } from './statement.ts'
import { toStatusFilter } from './status-filter.ts'

// A filter of only an area and statuses is counted with the pyramid (docs/adr/0004), others row by row. Both are exact.

const IssueTotal = Type.Object({
  entries: Count,
  /** The planner's estimate of all rows of `issues` (`estimatedTableRows`), for `scanLimit`. */
  tableRows: Count,
})
export type IssueTotal = Static<typeof IssueTotal>

export async function countIssues(db: Queryable, filter: IssueFilter): Promise<IssueTotal> {
  const { ctes, entries, isPreparable } = countStatementParts(filter)
  const statement = sql`${ctes} SELECT ${entries} AS entries, ${estimatedTableRows} AS "tableRows"`
  const [total] = await db.query(IssueTotal, isPreparable ? prepared(statement) : statement)
  return total ?? { entries: 0, tableRows: 0 }
}

/** A count from the pyramid is prepared, because it has few distinct texts. A count row by row is not, because its best plan depends on the values. */
function countStatementParts(filter: IssueFilter): {
  readonly ctes: Sql
  readonly entries: Sql
  readonly isPreparable: boolean
} {
  const cover = hasOnlyAreaAndStatuses(filter) ? getAreaCover(filter.area) : null
  if (cover?.hasExactCover) {
    const entries = sql`(SELECT coalesce(cell_total.total_count, 0) FROM (${totalOfStatuses(cover, toStatusFilter(filter.statuses))}) cell_total)`
    return { ctes: sql`WITH RECURSIVE ${cover.ctes}`, entries, isPreparable: true }
  }
  const entries = sql`(SELECT count(*)::integer FROM (${matchingIssues(filter, sql`i.id`)}) i)`
  return { ctes: cellCtes(filter), entries, isPreparable: false }
}

const StatusTotals = Type.Object({
  open: nullable(Count),
  acknowledged: nullable(Count),
  closed: nullable(Count),
  archived: nullable(Count),
})
const StatusCountRow = Type.Object({ status: stringEnum(statuses), issues: Count })

export type CountByStatus = Readonly<Partial<Record<Status, number>>>

/** Returns the number of matching issues by status, without statuses that have none. */
export async function countIssuesByStatus(db: Queryable, filter: IssueFilter): Promise<CountByStatus> {
  const cover = hasOnlyAreaAndStatuses(filter) ? getAreaCover(filter.area) : null
  if (cover?.hasExactCover) {
    const [row] = await db.query(StatusTotals, prepared(sql`WITH RECURSIVE ${cover.ctes} ${totalsByStatus(cover)}`))
    const counts = filter.statuses.map((status): [Status, number] => [status, row ? countOfStatus(row, status) : 0])
    return Object.fromEntries(counts.filter(([, issues]) => issues > 0))
  }
  const rows = await db.query(
    StatusCountRow,
    sql`
    ${cellCtes(filter)} SELECT i.status, count(*)::integer AS issues FROM (${matchingIssues(filter, sql`i.status`)}) i GROUP BY i.status ORDER BY i.status`,
  )
  return Object.fromEntries(rows.map(({ status, issues }) => [status, issues]))
}

function countOfStatus(totals: Static<typeof StatusTotals>, status: Status): number {
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

const PlaceCountRow = Type.Object({ id: Id, issues: Count })

/** Returns the number of open issues by the id of the place. */
export async function countOpenIssues(
  db: Queryable,
  places: readonly { readonly id: number; readonly center_lng: number; readonly center_lat: number }[],
): Promise<ReadonlyMap<number, number>> {
  if (places.length === 0) return new Map()
  const counts = places.flatMap(({ id, center_lng: lng, center_lat: lat }) => {
    const cover = getAreaCover({ kind: 'place', placeId: id, centre: { lng, lat } })
    const openTotal = cover && sql`WITH RECURSIVE ${cover.ctes} ${totalOfStatuses(cover, toStatusFilter(['Open']))}`
    return openTotal
      ? [sql`SELECT ${id}::integer AS id, coalesce(cell_total.total_count, 0) AS issues FROM (${openTotal}) cell_total`]
      : []
  })
  const rows = await db.query(PlaceCountRow, prepared(join(counts, ' UNION ALL ')))
  return new Map(rows.map(({ id, issues }) => [id, issues]))
}
