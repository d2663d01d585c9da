import { join, type Queryable, sql } from '../database/database.ts'
import type { Point } from '../geo/point.ts'
import { conditions, type IssueFilter } from './filter.ts'
import type { Status } from './schema.ts'

/** An issue as a picture of a map shows it. */
export interface IssueDot extends Point {
  readonly id: number
  readonly status: Status
}

/** The newest of the issues that the filter asks for, oldest first: so the newest are drawn upon the others. */
export function listIssueDots(db: Queryable, filter: IssueFilter, limit: number): Promise<IssueDot[]> {
  return db.query<IssueDot>(sql`
    SELECT d.id, d.lng, d.lat, d.status
    FROM (
      SELECT i.id, i.lng, i.lat, i.status, i.created_at
      FROM issues i
      WHERE ${conditions(filter)}
      ORDER BY i.created_at DESC, i.id DESC
      LIMIT ${limit}::integer) d
    ORDER BY d.created_at, d.id`)
}

export type CountByStatus = Readonly<Partial<Record<Status, number>>>

/** How many issues of each status the filter asks for; a status without any is absent. */
export async function countIssuesByStatus(db: Queryable, filter: IssueFilter): Promise<CountByStatus> {
  const rows = await db.query<{ status: Status; issues: number }>(sql`
    SELECT i.status, count(*)::integer AS issues FROM issues i WHERE ${conditions(filter)} GROUP BY i.status ORDER BY i.status`)
  return Object.fromEntries(rows.map(({ status, issues }) => [status, issues]))
}

/** How many open issues lie in each of these places, by the place's id. */
export async function countOpenIssues(
  db: Queryable,
  places: readonly { readonly id: number; readonly center_lng: number; readonly center_lat: number }[],
): Promise<ReadonlyMap<number, number>> {
  if (places.length === 0) return new Map()
  const counts = places.map(({ id, center_lng: lng, center_lat: lat }) => {
    const open: IssueFilter = { area: { kind: 'place', placeId: id, centre: { lng, lat } }, statuses: ['Open'] }
    return sql`SELECT ${id}::integer AS id, (SELECT count(*)::integer FROM issues i WHERE ${conditions(open)}) AS issues`
  })
  const rows = await db.query<{ id: number; issues: number }>(join(counts, ' UNION ALL '))
  return new Map(rows.map(({ id, issues }) => [id, issues]))
}
