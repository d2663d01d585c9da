import { type Queryable, sql } from '../../database/database.ts'
import type { Point } from '../../geo/point.ts'
import { conditions } from './conditions.ts'
import type { IssueFilter } from './filter.ts'
import type { Status } from '../../issue-lifecycle/status.ts'

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
