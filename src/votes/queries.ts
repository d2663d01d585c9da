import { sql, type Transaction } from '../database/database.ts'
import { pointsFor } from '../users/rules.ts'

export interface Vote {
  readonly issue_id: number
  readonly user_id: number
}

/** A vote for an own report without a name gives nothing: no number that everybody reads may move when its reporter does something. */
const isRewarded = sql`(i.anonymous AND i.reporter_id = v.user_id) IS NOT TRUE`

/**
 * Writes a vote, counts it and gives the points for it, all in one statement; false where the user has voted already, and nothing changes.
 * The issue is locked (`lockIssue`). Its `updated_at` stays: a vote is about an issue and no change of it, and what is sorted by its last
 * change must not move with every click. Its revision moves, so that nobody is told that it is unchanged.
 */
export async function addVote(tx: Transaction, { issue_id, user_id, at }: Vote & { readonly at: Date }): Promise<boolean> {
  const updatedIssues = await tx.execute(sql`
    WITH vote AS (
      INSERT INTO votes (issue_id, user_id, created_at) VALUES (${issue_id}, ${user_id}, ${at.toISOString()}::timestamptz)
      ON CONFLICT (issue_id, user_id) DO NOTHING
      RETURNING votes.issue_id, votes.user_id),
    rewarded AS (
      UPDATE users u SET civic_points = u.civic_points + ${pointsFor.vote}
      FROM vote v JOIN issues i ON i.id = v.issue_id
      WHERE u.id = v.user_id AND ${isRewarded})
    UPDATE issues i SET vote_count = i.vote_count + 1 FROM vote v WHERE i.id = v.issue_id`)
  return updatedIssues > 0
}

/** Takes a vote back, and what it counted for; false where there is none. The issue is locked. */
export async function removeVote(tx: Transaction, { issue_id, user_id }: Vote): Promise<boolean> {
  const updatedIssues = await tx.execute(sql`
    WITH vote AS (
      DELETE FROM votes v WHERE v.issue_id = ${issue_id} AND v.user_id = ${user_id}
      RETURNING v.issue_id, v.user_id),
    taken AS (
      UPDATE users u SET civic_points = u.civic_points - ${pointsFor.vote}
      FROM vote v JOIN issues i ON i.id = v.issue_id
      WHERE u.id = v.user_id AND ${isRewarded})
    UPDATE issues i SET vote_count = i.vote_count - 1 FROM vote v WHERE i.id = v.issue_id`)
  return updatedIssues > 0
}
