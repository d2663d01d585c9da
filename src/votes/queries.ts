import { sql, type Transaction } from '../database/database.ts'
import { pointsFor } from '../users/rules.ts'

export interface Vote {
  readonly issue_id: number
  readonly user_id: number
}

/** A vote for one's own anonymous report gives no points, because a public number that changes would reveal the reporter. */
const isRewarded = sql`(i.anonymous AND i.reporter_id = v.user_id) IS NOT TRUE`

/**
 * Inserts a vote, increments the count and adds civic points. Returns false if the user has already voted. `updated_at` stays,
 * because lists that are sorted by it must not change with every vote; the revision increases, which changes the ETag. Requires
 * `lockIssue`.
 */
export async function addVote(
  tx: Transaction,
  { issue_id, user_id, created_at }: Vote & { readonly created_at: Date },
): Promise<boolean> {
  const updatedIssues = await tx.execute(sql`
    WITH vote AS (
      INSERT INTO votes (issue_id, user_id, created_at) VALUES (${issue_id}, ${user_id}, ${created_at.toISOString()}::timestamptz)
      ON CONFLICT (issue_id, user_id) DO NOTHING
      RETURNING votes.issue_id, votes.user_id),
    rewarded AS (
      UPDATE users u SET civic_points = u.civic_points + ${pointsFor.vote}
      FROM vote v JOIN issues i ON i.id = v.issue_id
      WHERE u.id = v.user_id AND ${isRewarded})
    UPDATE issues i SET vote_count = i.vote_count + 1 FROM vote v WHERE i.id = v.issue_id`)
  return updatedIssues > 0
}

/** Deletes a vote and reverses its count and points. Returns false if there is none. Requires `lockIssue`. */
export async function removeVote(tx: Transaction, { issue_id, user_id }: Vote): Promise<boolean> {
  const updatedIssues = await tx.execute(sql`
    WITH vote AS (
      DELETE FROM votes v WHERE v.issue_id = ${issue_id} AND v.user_id = ${user_id}
      RETURNING v.issue_id, v.user_id),
    unrewarded AS (
      UPDATE users u SET civic_points = u.civic_points - ${pointsFor.vote}
      FROM vote v JOIN issues i ON i.id = v.issue_id
      WHERE u.id = v.user_id AND ${isRewarded})
    UPDATE issues i SET vote_count = i.vote_count - 1 FROM vote v WHERE i.id = v.issue_id`)
  return updatedIssues > 0
}
