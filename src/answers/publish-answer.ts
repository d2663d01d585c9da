import type { Transaction } from '../database/database.ts'
import { recordEvent } from '../outbox/queries.ts'
import { touchQuestion } from '../questions/write-queries.ts'

export interface AnswerPublication {
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
