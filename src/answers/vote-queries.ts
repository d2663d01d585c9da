import { sql, type Transaction } from '../database/database.ts'
import { pointsFor } from '../users/rules.ts'

export interface AnswerVote {
  readonly answer_id: number
  readonly user_id: number
}

/** Returns false if the user has already voted. `updated_at` stays, because the answer is unchanged. Requires `lockAnswer`. */
export async function addAnswerVote(
  tx: Transaction,
  { answer_id, user_id, created_at }: AnswerVote & { readonly created_at: Date },
): Promise<boolean> {
  const updatedUsers = await tx.execute(sql`
    WITH vote AS (
      INSERT INTO answer_votes (answer_id, user_id, created_at) VALUES (${answer_id}, ${user_id}, ${created_at.toISOString()}::timestamptz)
      ON CONFLICT (answer_id, user_id) DO NOTHING
      RETURNING answer_votes.user_id)
    UPDATE users u SET civic_points = u.civic_points + ${pointsFor.vote} FROM vote v WHERE u.id = v.user_id`)
  return updatedUsers > 0
}

/** Deletes a vote and reverses its points. Returns false if there is none. Requires `lockAnswer`. */
export async function removeAnswerVote(tx: Transaction, { answer_id, user_id }: AnswerVote): Promise<boolean> {
  const updatedUsers = await tx.execute(sql`
    WITH vote AS (
      DELETE FROM answer_votes v WHERE v.answer_id = ${answer_id} AND v.user_id = ${user_id} RETURNING v.user_id)
    UPDATE users u SET civic_points = u.civic_points - ${pointsFor.vote} FROM vote v WHERE u.id = v.user_id`)
  return updatedUsers > 0
}
