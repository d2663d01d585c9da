import { sql, type Transaction } from '../database/database.ts'
import { pointsFor } from '../users/rules.ts'

export interface AnswerVote {
  readonly answer_id: number
  readonly user_id: number
}

/**
 * Writes a vote and gives the points for it, in one statement; triggers count it for the answer and its question. False where the user has
 * voted already, and nothing changes. The question is locked (`lockAnswer`). No `updated_at` moves: a vote is about an answer and no
 * change of it.
 */
export async function addAnswerVote(
  tx: Transaction,
  { answer_id, user_id, at }: AnswerVote & { readonly at: Date },
): Promise<boolean> {
  const added = await tx.query(sql`
    WITH vote AS (
      INSERT INTO answer_votes (answer_id, user_id, created_at) VALUES (${answer_id}, ${user_id}, ${at.toISOString()}::timestamptz)
      ON CONFLICT (answer_id, user_id) DO NOTHING
      RETURNING answer_votes.answer_id, answer_votes.user_id),
    rewarded AS (
      UPDATE users u SET civic_points = u.civic_points + ${pointsFor.vote} FROM vote v WHERE u.id = v.user_id)
    SELECT v.answer_id FROM vote v`)
  return added.length > 0
}

/** Takes a vote back, and what it counted for; false where there is none. The question is locked. */
export async function removeAnswerVote(tx: Transaction, { answer_id, user_id }: AnswerVote): Promise<boolean> {
  const removed = await tx.query(sql`
    WITH vote AS (
      DELETE FROM answer_votes v WHERE v.answer_id = ${answer_id} AND v.user_id = ${user_id} RETURNING v.answer_id, v.user_id),
    taken AS (
      UPDATE users u SET civic_points = u.civic_points - ${pointsFor.vote} FROM vote v WHERE u.id = v.user_id)
    SELECT v.answer_id FROM vote v`)
  return removed.length > 0
}
