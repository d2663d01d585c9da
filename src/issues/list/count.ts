import Type from 'typebox'

import { Count, Id, stringEnum } from '../../database/columns.ts'
import { join, type Queryable, sql } from '../../database/database.ts'
import { prepared } from '../../database/prepared.ts'
import { areaCells } from '../../geo/pyramid/area-cells.ts'
import { statusSums, sumCells } from '../../geo/pyramid/totals.ts'
import { type Status, statuses } from '../../issue-lifecycle/status.ts'
import { countOfStatus, selectedStatusSum, visible } from './conditions.ts'
import { type IssueFilter, hasOnlyAreaAndStatuses } from './filter.ts'
import { matchingIssues } from './statement.ts'

// A filter of only an area and statuses is counted with the pyramid (docs/adr/0004), others row by row. Both are exact.

const Total = Type.Object({ entries: Count })

export async function countIssues(db: Queryable, filter: IssueFilter): Promise<number> {
  const cells = hasOnlyAreaAndStatuses(filter) ? areaCells(filter.area) : null
  const sums = [selectedStatusSum(filter.statuses)]
  // A count row by row is not prepared, because its best plan depends on the values.
  const statement = cells
    ? prepared(sql.type(Total)`${sumCells(filter.area, cells, sums, visible(filter.statuses))}`)
    : sql.type(Total)`SELECT count(*)::integer AS entries FROM (${matchingIssues(filter, sql`i.id`)}) i`
  const [total] = await db.query(statement)
  return total?.entries ?? 0
}

const StatusTotals = Type.Object({ open: Count, acknowledged: Count, closed: Count, archived: Count })
const StatusCountRow = Type.Object({ status: stringEnum(statuses), issues: Count })

export type CountByStatus = Readonly<Partial<Record<Status, number>>>

/** Returns the number of matching issues by status, without statuses that have none. */
export async function countIssuesByStatus(db: Queryable, filter: IssueFilter): Promise<CountByStatus> {
  const cells = hasOnlyAreaAndStatuses(filter) ? areaCells(filter.area) : null
  if (cells) {
    const [row] = await db.query(prepared(sql.type(StatusTotals)`${sumCells(filter.area, cells, statusSums)}`))
    const counts = filter.statuses.map((status): [Status, number] => [status, row ? countOfStatus(row, status) : 0])
    return Object.fromEntries(counts.filter(([, issues]) => issues > 0))
  }
  const rows = await db.query(sql.type(StatusCountRow)`
    SELECT i.status, count(*)::integer AS issues FROM (${matchingIssues(filter, sql`i.status`)}) i GROUP BY i.status ORDER BY i.status`)
  return Object.fromEntries(rows.map(({ status, issues }) => [status, issues]))
}

const PlaceCountRow = Type.Object({ id: Id, entries: Count })

/** Returns the number of open issues by the id of the place. */
export async function countOpenIssues(
  db: Queryable,
  places: readonly { readonly id: number; readonly center_lng: number; readonly center_lat: number }[],
): Promise<ReadonlyMap<number, number>> {
  if (places.length === 0) return new Map()
  const sums = [selectedStatusSum(['Open'])]
  const counts = places.flatMap(({ id, center_lng: lng, center_lat: lat }) => {
    const area = { kind: 'place', placeId: id, centre: { lng, lat } } as const
    const cells = areaCells(area)
    return cells
      ? [sql`SELECT ${id}::integer AS id, total.entries FROM (${sumCells(area, cells, sums, visible(['Open']))}) total`]
      : []
  })
  const rows = await db.query(prepared(sql.type(PlaceCountRow)`${join(counts, ' UNION ALL ')}`))
  return new Map(rows.map(({ id, entries }) => [id, entries]))
}
