import { sql, type Transaction } from '../database/database.ts'
import { reversePoints } from '../questions/points-queries.ts'

export const earlierAnswers = sql`
  SELECT a.created_at, a.answer AS text FROM answers a WHERE a.answerer_id = u.id`

/** The points for votes are reversed, unless hiding the question did that before. Requires `lockQuestion`. */
export async function hideAnswer(tx: Transaction, id: number): Promise<void> {
  await tx.prisma.answer.updateMany({ where: { id }, data: { moderation_state: 'rejected', accepted_at: null } })
  const publicQuestions = await tx.prisma.question.count({ where: { answers: { some: { id } }, moderation_state: 'passed' } })
  if (publicQuestions > 0) await reversePoints(tx, [id])
}
