import Type, { type Static } from 'typebox'

import { EntriesRow, Count, Id, stringEnum, join, type Queryable, sql, prepared, Timestamp } from '../../database/database.ts'
import { areaCells } from '../../geo/pyramid/area-cells.ts'
import { statusSums, sumCells } from '../../geo/pyramid/totals.ts'
import type { Box } from '../../geo/shapes.ts'
import { type Status, statuses } from '../../issue-lifecycle/status.ts'
import { countOfStatus, selectedStatusSum, visible, filterPredicate } from './conditions.ts'
import { type IssueFilter, hasOnlyAreaAndStatuses } from './filter.ts'
import { matchingIssues } from './statement.ts'

// A filter of only an area and statuses is counted with the pyramid (docs/adr/0004), others row by row. Both are exact.

export async function countIssues(db: Queryable, filter: IssueFilter): Promise<number> {
  const cells = hasOnlyAreaAndStatuses(filter) ? areaCells(filter.area) : null
  const sums = [selectedStatusSum(filter.statuses)]
  // A count row by row is not prepared, because its best plan depends on the values.
  const statement = cells
    ? prepared(sql.type(EntriesRow)`${sumCells(filter.area, cells, sums, visible(filter.statuses))}`)
    : sql.type(EntriesRow)`SELECT count(*)::integer AS entries FROM (${matchingIssues(filter, sql`i.id`)}) i`
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

const IssueDot = Type.Object({ id: Id, lng: Type.Number(), lat: Type.Number(), status: stringEnum(statuses) })
export type IssueDot = Static<typeof IssueDot>

/** Returns the newest matching issues, oldest first, so that a map draws newer ones on top. */
export function listIssueDots(db: Queryable, filter: IssueFilter, limit: number): Promise<IssueDot[]> {
  return db.query(sql.type(IssueDot)`
    SELECT newest.id, newest.lng, newest.lat, newest.status
    FROM (
      SELECT i.id, i.lng, i.lat, i.status, i.created_at
      FROM issues i
      WHERE ${filterPredicate(filter)}
      ORDER BY i.created_at DESC, i.id DESC
      LIMIT ${limit}::integer) newest
    ORDER BY newest.created_at, newest.id`)
}

const Bounds = Type.Object({ west: Type.Number(), south: Type.Number(), east: Type.Number(), north: Type.Number() })

/** Returns a box in degrees around all matching issues; undefined without any. It does not cross the antimeridian. */
export const findIssueBounds = (db: Queryable, filter: IssueFilter): Promise<Box | undefined> =>
  db.query(sql.first(Bounds)`
    SELECT min(i.lng) AS west, min(i.lat) AS south, max(i.lng) AS east, max(i.lat) AS north
    FROM (${matchingIssues(filter, sql`i.lng, i.lat`)}) i
    HAVING count(*) > 0`)

const IssueAddress = Type.Object({ lng: Type.Number(), lat: Type.Number(), address: Type.String() })
export type IssueAddress = Static<typeof IssueAddress>

/** Returns the addresses of the newest matching issues, the newest first. */
export function listIssueAddresses(db: Queryable, filter: IssueFilter, limit: number): Promise<IssueAddress[]> {
  return db.query(sql.type(IssueAddress)`
    SELECT i.lng, i.lat, i.address
    FROM issues i
    WHERE ${filterPredicate(filter)} AND i.address <> ''
    ORDER BY i.created_at DESC, i.id DESC
    LIMIT ${limit}::integer`)
}

const LatestIssueChange = Type.Object({ changed_at: Timestamp })

/** Returns the latest `updated_at` of an issue or the creation of the database, for display. */
export async function findLatestIssueChange(db: Queryable): Promise<string> {
  const row = await db.query(sql.one(LatestIssueChange)`
    SELECT greatest((SELECT max(i.updated_at) FROM issues i WHERE i.moderation_state = 'passed'), (SELECT min(migration.finished_at) FROM _prisma_migrations migration))
      AS changed_at`)
  return row.changed_at
}
