import type { Transaction } from '../database/database.ts'
import { type OwedEffect, recordEvent } from '../outbox/queries.ts'
import { touchQuestion } from './write-queries.ts'

export interface QuestionPublication {
  readonly question_id: number
  /** Null where the account went away while the question was held. */
  readonly asker_id: number | null
  readonly at: Date
  readonly request_id?: string
}

/**
 * All that follows when a question shows, in the transaction that made it show: its `moderation_state` is 'passed' already and its row is
 * locked (`lockQuestion`). Gives what is owed for it, for `wakeEffects` after the commit.
 */
export async function publishQuestion(
  tx: Transaction,
  { question_id, asker_id, at, request_id }: QuestionPublication,
): Promise<OwedEffect[]> {
  await touchQuestion(tx, { id: question_id, at })
  const by = { actor_id: asker_id, ...(request_id === undefined ? {} : { request_id }) }
  return recordEvent(tx, { type: 'question.asked', subject_id: question_id, payload: { question_id }, ...by })
}
