import Type, { type Static } from 'typebox'

import { Id } from '../database/columns.ts'
import { type Queryable, sql } from '../database/database.ts'
import { actsFor } from '../issue-lifecycle/access.ts'

const Colleague = Type.Object({ id: Id, name: Type.String() })
export type Colleague = Static<typeof Colleague>

/** Who may be given an issue, by name, at most `limit`: those who work for an organisation that acts for it. For employees alone to know. */
export function listColleagues(db: Queryable, issueId: number, limit: number): Promise<Colleague[]> {
  return db.query(
    Colleague,
    sql`
    SELECT DISTINCT u.id, u.name
    FROM issues i
    JOIN organizations w ON ${actsFor(sql`ARRAY[w.id]`)}
    JOIN organization_members m ON m.organization_id = w.id
    JOIN users u ON u.id = m.user_id
    WHERE i.id = ${issueId}
    ORDER BY u.name, u.id
    LIMIT ${limit}::integer`,
  )
}
