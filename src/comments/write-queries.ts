import { sql, type Transaction } from '../database/database.ts'
import { SAME_WITHIN_S } from '../content-policy/policy.ts'
import { pointsFor } from '../users/rules.ts'

export interface Commenter {
  readonly created_at: string
  readonly locale: string
  /** How often they sent the identical text within the last hour, held and rejected ones too. */
  readonly same_before: number
}

/** The row of the commenter is locked: of several identical comments at one moment each counts the ones before it. */
export async function lockCommenter(
  tx: Transaction,
  { id, comment, now }: { id: number; comment: string; now: Date },
): Promise<Commenter | undefined> {
  await tx.query(sql`SELECT u.id FROM users u WHERE u.id = ${id} FOR NO KEY UPDATE`)
  const [commenter] = await tx.query<Commenter>(sql`
    SELECT u.created_at, u.locale, (
      SELECT count(*)::integer FROM comments c
      WHERE c.commenter_id = u.id AND c.created_at > ${now.toISOString()}::timestamptz - make_interval(secs => ${SAME_WITHIN_S})
        AND same_text(c.comment) = same_text(${comment})) AS same_before
    FROM users u WHERE u.id = ${id}`)
  return commenter
}

export interface NewCommentRow {
  readonly issue_id: number
  readonly commenter_id: number
  readonly comment: string
  readonly video_url: string | null
  readonly locale: string
  readonly device_id: string | null
  readonly moderation_state: 'passed' | 'held'
  readonly at: Date
}

export async function insertComment(tx: Transaction, row: NewCommentRow): Promise<number> {
  const at = row.at.toISOString()
  const [written] = await tx.query<{ id: number }>(sql`
    INSERT INTO comments (issue_id, commenter_id, comment, video_url, locale, device_id, moderation_state, created_at, updated_at)
    VALUES (${row.issue_id}, ${row.commenter_id}, ${row.comment}, ${row.video_url}, ${row.locale}, ${row.device_id},
      ${row.moderation_state}, ${at}::timestamptz, ${at}::timestamptz)
    RETURNING comments.id`)
  if (!written) throw new Error('no comment was written')
  return written.id
}

/** What a comment that shows does to its issue and to whoever wrote it. The issue is locked, so it comes first. */
export async function countComment(
  tx: Transaction,
  { issue_id, commenter_id, at }: Pick<NewCommentRow, 'issue_id' | 'at'> & { readonly commenter_id: number | null },
): Promise<void> {
  const now = at.toISOString()
  await tx.query(sql`
    UPDATE issues i SET updated_at = greatest(i.updated_at, ${now}::timestamptz) WHERE i.id = ${issue_id} RETURNING i.id`)
  await tx.query(sql`
    UPDATE users u SET civic_points = u.civic_points + ${pointsFor.comment} WHERE u.id = ${commenter_id} RETURNING u.id`)
}
