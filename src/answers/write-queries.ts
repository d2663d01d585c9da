import { sql, type Transaction } from '../database/database.ts'
import { reversePoints } from '../questions/points-queries.ts'

export const earlierAnswers = sql`
  SELECT a.created_at, a.answer AS text FROM answers a WHERE a.answerer_id = u.id`

export interface NewAnswerRow {
  readonly question_id: number
  readonly answerer_id: number
  readonly answer: string
  readonly locale: string
  readonly moderation_state: 'passed' | 'held'
  readonly created_at: Date
}

export async function insertAnswer(tx: Transaction, row: NewAnswerRow): Promise<number> {
  const { id } = await tx.prisma.answer.create({ data: { ...row, updated_at: row.created_at }, select: { id: true } })
  return id
}

/** The points for votes are reversed, unless hiding the question did that before. Requires `lockQuestion`. */
export async function hideAnswer(tx: Transaction, id: number): Promise<void> {
  await tx.prisma.answer.updateMany({ where: { id }, data: { moderation_state: 'rejected', accepted_at: null } })
  const publicQuestions = await tx.prisma.question.count({ where: { answers: { some: { id } }, moderation_state: 'passed' } })
  if (publicQuestions > 0) await reversePoints(tx, [id])
}
