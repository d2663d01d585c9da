import Type, { type Static } from 'typebox'

import { Id, type Queryable, sql } from '../../database/database.ts'
import { rolesWith } from '../../http/identity/roles.ts'
import { mayActForIssue } from '../../issue-lifecycle/access.ts'

const Colleague = Type.Object({ id: Id, name: Type.String() })
export type Colleague = Static<typeof Colleague>

/** Returns at most `limit` users to whom the issue may be assigned, by name. Only employees may see them. */
export function listColleagues(db: Queryable, issueId: number, limit: number): Promise<Colleague[]> {
  return db.query(sql.type(Colleague)`
    SELECT DISTINCT u.id, u.name
    FROM issues i
    JOIN organizations o ON ${mayActForIssue(sql`ARRAY[o.id]`)}
    JOIN organization_members m ON m.organization_id = o.id AND m.role::text = ANY(${[...rolesWith('work_on_issues')]}::text[])
    JOIN users u ON u.id = m.user_id
    WHERE i.id = ${issueId}
    ORDER BY u.name, u.id
    LIMIT ${limit}::integer`)
}
