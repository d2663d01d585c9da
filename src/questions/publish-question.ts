import type { Transaction } from '../database/database.ts'
import { recordEvent } from '../outbox/queries.ts'
import { touchQuestion } from './write-queries.ts'

export interface QuestionPublication {
  readonly question_id: number
  /** Null if the account was deleted while the question was held. */
  readonly asker_id: number | null
  readonly now: Date
  readonly request_id?: string
}

/** Requires `lockQuestion` and the `moderation_state` 'passed'. */
export async function publishQuestion(
  tx: Transaction,
  { question_id, asker_id, now, request_id }: QuestionPublication,
): Promise<void> {
  await touchQuestion(tx, { id: question_id, now })
  const eventFields = { actor_id: asker_id, ...(request_id === undefined ? {} : { request_id }) }
  return recordEvent(tx, { type: 'question.asked', subject_id: question_id, payload: { question_id }, ...eventFields })
}
