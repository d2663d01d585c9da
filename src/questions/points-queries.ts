import { type Transaction, sql } from '../database/database.ts'
import { pointsFor } from '../users/rules.ts'

/** Reverses the points for votes that are no longer visible. Imported and demo votes gave none; the events show that. */
export async function reversePoints(tx: Transaction, answerIds: readonly number[]): Promise<void> {
  await tx.execute(sql`
    UPDATE users u SET civic_points = greatest(u.civic_points - p.points, least(u.civic_points, 0))
    FROM (
      SELECT v.user_id, count(*)::integer * ${pointsFor.vote}::integer AS points
      FROM answer_votes v
      WHERE v.answer_id = ANY(${answerIds}::integer[]) AND EXISTS (
        SELECT FROM events e
        WHERE e.subject_type = 'answer' AND e.subject_id = v.answer_id AND e.type = 'answer.voted' AND e.actor_id = v.user_id)
      GROUP BY v.user_id) p
    WHERE u.id = p.user_id`)
}
