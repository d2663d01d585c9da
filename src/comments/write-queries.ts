import { IdRow } from '../database/columns.ts'
import { type Sql, sql, type Transaction } from '../database/database.ts'
import { officialOrganization } from '../issue-lifecycle/official-organization.ts'

/** The earlier comments of a user, for `findAuthorAndCountDuplicates`. The user has the alias `u`. */
export const earlierComments = sql`
  SELECT c.created_at, c.comment AS text FROM comments c WHERE c.commenter_id = u.id`

export interface NewCommentRow {
  readonly issue_id: number
  readonly commenter_id: number
  readonly comment: string
  readonly video_url: string | null
  readonly locale: string
  readonly device_id: string | null
  readonly created_at: Date
}

/** The SQL that inserts a comment if `from` has a row. */
export const insertComment = (row: NewCommentRow, state: 'passed' | 'held', from: Sql): Sql => sql`
  INSERT INTO comments (issue_id, commenter_id, comment, video_url, locale, device_id, moderation_state, created_at, updated_at, organization_id)
  SELECT ${row.issue_id}::integer, ${row.commenter_id}::integer, ${row.comment}::text, ${row.video_url}::text, ${row.locale}::text,
    ${row.device_id}::text, ${state}::moderation_state, ${row.created_at.toISOString()}::timestamptz, ${row.created_at.toISOString()}::timestamptz,
    (SELECT ${officialOrganization(sql`${row.commenter_id}::integer`, sql`organization.id`)} FROM issues i WHERE i.id = ${row.issue_id}::integer)
  FROM ${from}
  RETURNING comments.id`

/** Inserts a comment that waits for a review. It changes nothing public, but its author and its issue have changed. Requires `lockIssue`. */
export async function insertHeldComment(tx: Transaction, row: NewCommentRow): Promise<number> {
  const [inserted] = await tx.query(sql.type(IdRow)`
    WITH issue AS (SELECT i.id FROM issues i WHERE i.id = ${row.issue_id}),
    revision AS (SELECT revise_issue(issue.id, FALSE) FROM issue),
    author AS (UPDATE users u SET revision = u.revision + 1 WHERE u.id = ${row.commenter_id})
    ${insertComment(row, 'held', sql`revision`)}`)
  if (!inserted) throw new Error(`the issue ${row.issue_id} does not exist, although it is locked`)
  return inserted.id
}
