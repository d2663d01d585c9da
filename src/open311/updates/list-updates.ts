import Type, { type Static } from 'typebox'

import { Id, nullable, stringEnum, Timestamp } from '../../database/columns.ts'
import { empty, type Queryable, type Sql, sql } from '../../database/database.ts'
import { statuses } from '../../issue-lifecycle/status.ts'

const IssueUpdate = Type.Object({
  kind: stringEnum(['comment', 'change']),
  id: Id,
  issue_id: Id,
  /** The status after the update. */
  status: stringEnum(statuses),
  created_at: Timestamp,
  /** It is null for a change of the status without a public comment. */
  comment: nullable(Type.String()),
  image: nullable(Type.String()),
})
export type IssueUpdate = Static<typeof IssueUpdate>

export interface UpdateFilter {
  /** Bounds in ISO 8601; the second is exclusive. */
  readonly from: string | undefined
  readonly before: string | undefined
  readonly organizationId: number | undefined
  readonly limit: number
  readonly offset: number
}

/**
 * Returns public comments, and changes of the status without a public comment, of public issues, oldest first. Archiving is left out, because
 * it happens by itself and changes nothing for a resident.
 */
export function listIssueUpdates(db: Queryable, { limit, offset, ...filter }: UpdateFilter): Promise<IssueUpdate[]> {
  const first = limit + offset
  return db.query(sql.type(IssueUpdate)`
    SELECT u.kind, u.id, u.issue_id, u.status, u.created_at, u.comment, u.image FROM (
      (SELECT 'comment' AS kind, c.id, c.issue_id, ${statusAt(sql`c`)} AS status, c.created_at, c.comment,
        (SELECT m.full_key FROM media m WHERE m.comment_id = c.id ORDER BY m.id LIMIT 1) AS image
      FROM comments c JOIN issues i ON i.id = c.issue_id
      WHERE c.moderation_state = 'passed' ${conditions(sql`c`, filter)}
      ORDER BY c.created_at, c.id LIMIT ${first}::integer)
      UNION ALL
      (SELECT 'change', s.id, s.issue_id, s.to_status, s.created_at, NULL, NULL
      FROM status_changes s JOIN issues i ON i.id = s.issue_id
      WHERE s.from_status IS NOT NULL AND s.to_status <> 'Archived'
        AND NOT EXISTS (SELECT FROM comments o WHERE o.id = s.comment_id AND o.moderation_state = 'passed') ${conditions(sql`s`, filter)}
      ORDER BY s.created_at, s.id LIMIT ${first}::integer)) u
    ORDER BY u.created_at, u.kind, u.id
    LIMIT ${limit}::integer OFFSET ${offset}::integer`)
}

const statusAt = (row: Sql) => sql`coalesce((
  SELECT past.to_status FROM status_changes past WHERE past.issue_id = ${row}.issue_id AND past.created_at <= ${row}.created_at
  ORDER BY past.id DESC LIMIT 1), 'Open')`

const conditions = (row: Sql, { from, before, organizationId }: Pick<UpdateFilter, 'from' | 'before' | 'organizationId'>) => sql`
  AND i.moderation_state = 'passed'
  ${from === undefined ? empty : sql`AND ${row}.created_at >= ${from}::timestamptz`}
  ${before === undefined ? empty : sql`AND ${row}.created_at < ${before}::timestamptz`}
  ${organizationId === undefined ? empty : sql`AND i.request_type_id IN (SELECT rt.id FROM request_types rt WHERE rt.organization_id = ${organizationId})`}`
