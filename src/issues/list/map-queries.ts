import Type, { type Static } from 'typebox'

import { Id, stringEnum } from '../../database/columns.ts'
import { type Queryable, sql } from '../../database/database.ts'
import type { Box } from '../../geo/box.ts'
import { filterPredicate } from './conditions.ts'
import type { IssueFilter } from './filter.ts'
import { matchingIssues } from './statement.ts'
import { statuses } from '../../issue-lifecycle/status.ts'

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
export async function findIssueBounds(db: Queryable, filter: IssueFilter): Promise<Box | undefined> {
  const [bounds] = await db.query(sql.type(Bounds)`
    SELECT min(i.lng) AS west, min(i.lat) AS south, max(i.lng) AS east, max(i.lat) AS north
    FROM (${matchingIssues(filter, sql`i.lng, i.lat`)}) i
    HAVING count(*) > 0`)
  return bounds
}

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
