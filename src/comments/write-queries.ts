import { sql, type Transaction } from '../database/database.ts'
import { pointsFor } from '../users/rules.ts'

/** The earlier comments of a user, for `lockAuthorAndCountDuplicates`. The user has the alias `u`. */
export const earlierComments = sql`
  SELECT c.created_at, c.comment AS text FROM comments c WHERE c.commenter_id = u.id`

export interface NewCommentRow {
  readonly issue_id: number
  readonly commenter_id: number
  readonly comment: string
  readonly video_url: string | null
  readonly locale: string
  readonly device_id: string | null
  readonly moderation_state: 'passed' | 'held'
  readonly created_at: Date
}

export async function insertComment(tx: Transaction, row: NewCommentRow): Promise<number> {
  const { id } = await tx.prisma.comment.create({ data: { ...row, updated_at: row.created_at }, select: { id: true } })
  return id
}

export async function setIssueUpdatedAt(tx: Transaction, issueId: number, now: Date): Promise<void> {
  await tx.execute(sql`
    UPDATE issues i SET updated_at = greatest(i.updated_at, ${now.toISOString()}::timestamptz) WHERE i.id = ${issueId}`)
}

/** Only a public comment earns civic points. */
export async function addCommentPoints(tx: Transaction, commenterId: number): Promise<void> {
  await tx.prisma.user.updateMany({ where: { id: commenterId }, data: { civic_points: { increment: pointsFor.comment } } })
}
