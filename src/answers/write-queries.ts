import { sql, type Transaction } from '../database/database.ts'
import { pointsFor } from '../users/rules.ts'

/**
 * Takes an answer out of sight for good: it counts no more for its question, neither do its votes, and it is accepted by nobody (all by
 * triggers). The points for the votes are taken back. Its question is locked.
 */
export async function hideAnswer(tx: Transaction, id: number): Promise<void> {
  await tx.query(sql`UPDATE answers a SET moderation_state = 'rejected' WHERE a.id = ${id} RETURNING a.id`)
  await takePointsBack(tx, [id])
}

/** For votes that show nowhere any more. One that came from an import or a demo gave none, which the events tell. */
export async function takePointsBack(tx: Transaction, answerIds: readonly number[]): Promise<void> {
  await tx.query(sql`
    UPDATE users u SET civic_points = greatest(u.civic_points - p.points, least(u.civic_points, 0))
    FROM (
      SELECT v.user_id, count(*)::integer * ${pointsFor.vote}::integer AS points
      FROM answer_votes v
      WHERE v.answer_id = ANY(${answerIds}::integer[]) AND EXISTS (
        SELECT FROM events e
        WHERE e.subject_type = 'answer' AND e.subject_id = v.answer_id AND e.type = 'answer.voted' AND e.actor_id = v.user_id)
      GROUP BY v.user_id) p
    WHERE u.id = p.user_id RETURNING u.id`)
}
