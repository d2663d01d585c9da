import type { Transaction } from '../database/database.ts'
import { type OwedEffect, recordEvent } from '../outbox/queries.ts'
import { touchQuestion } from '../questions/write-queries.ts'

export interface AnswerPublication {
  readonly answer_id: number
  readonly question_id: number
  /** Null where the account went away while the answer was held. */
  readonly answerer_id: number | null
  readonly at: Date
  readonly request_id?: string
}

/**
 * All that follows when an answer shows, in the transaction that made it show: its `moderation_state` is 'passed' already, by which triggers
 * count it and its votes, and its question is locked (`lockQuestion`). Gives what is owed for it, for `wakeEffects` after the commit.
 */
export async function publishAnswer(
  tx: Transaction,
  { answer_id, question_id, answerer_id, at, request_id }: AnswerPublication,
): Promise<OwedEffect[]> {
  await touchQuestion(tx, { id: question_id, at })
  const by = { actor_id: answerer_id, ...(request_id === undefined ? {} : { request_id }) }
  return recordEvent(tx, { type: 'answer.given', subject_id: answer_id, payload: { question_id }, ...by })
}
