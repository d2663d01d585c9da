import { sql, type Transaction } from '../database/database.ts'
import { reversePoints } from '../questions/points-queries.ts'
import { recordEvent } from '../outbox/queries.ts'
import { touchQuestion } from '../questions/write-queries.ts'

export const earlierAnswers = sql`
  SELECT a.created_at, a.answer AS text FROM answers a WHERE a.answerer_id = u.id`

/** The points for votes are reversed, unless hiding the question did that before. Requires `lockQuestion`. */
export async function hideAnswer(tx: Transaction, id: number): Promise<void> {
  await tx.prisma.answer.updateMany({ where: { id }, data: { moderation_state: 'rejected', accepted_at: null } })
  const publicQuestions = await tx.prisma.question.count({ where: { answers: { some: { id } }, moderation_state: 'passed' } })
  if (publicQuestions > 0) await reversePoints(tx, [id])
}

interface AnswerPublication {
  readonly answer_id: number
  readonly question_id: number
  /** Null if the account was deleted while the answer was held. */
  readonly answerer_id: number | null
  readonly now: Date
  readonly request_id?: string
}

/** Requires `lockQuestion` and the `moderation_state` 'passed'. */
export async function publishAnswer(
  tx: Transaction,
  { answer_id, question_id, answerer_id, now, request_id }: AnswerPublication,
): Promise<void> {
  await touchQuestion(tx, { id: question_id, now })
  const eventFields = { actor_id: answerer_id, ...(request_id === undefined ? {} : { request_id }) }
  return recordEvent(tx, { type: 'answer.given', subject_id: answer_id, payload: { question_id }, ...eventFields })
}
