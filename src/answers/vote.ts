import type { Transaction } from '../database/database.ts'
import { recordEvent } from '../outbox/queries.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { problems } from '../errors/problems.ts'
import { lockAnswer } from './lock-answer.ts'
import { addAnswerVote, removeAnswerVote } from './vote-queries.ts'
import { text } from '../errors/texts/text.ts'

export interface AnswerVoteInput {
  readonly answer_id: number
  readonly voter: Viewer
  readonly now: Date
  readonly request_id: string
}

/**
 * Idempotent. Authors may vote for their own answers.
 * @throws Problem 404 if the caller may not see the answer, 422 `{base}` if it is not public
 */
export async function castAnswerVote(tx: Transaction, { answer_id, voter, now, request_id }: AnswerVoteInput): Promise<void> {
  const { question_id } = await lockAnswer(tx, answer_id, voter)
  if (!(await addAnswerVote(tx, { answer_id, user_id: voter.id, created_at: now }))) return
  return recordEvent(tx, { type: 'answer.voted', subject_id: answer_id, actor_id: voter.id, payload: { question_id }, request_id })
}

/** @throws Problem 404 if the caller may not see the answer, 422 `{base}` if it is not public or there is no vote */
export async function withdrawAnswerVote(
  tx: Transaction,
  { answer_id, voter, request_id }: Omit<AnswerVoteInput, 'now'>,
): Promise<void> {
  const { question_id } = await lockAnswer(tx, answer_id, voter)
  if (!(await removeAnswerVote(tx, { answer_id, user_id: voter.id })))
    throw problems.invalid({ base: text('not_voted_for_answer') })
  return recordEvent(tx, {
    type: 'answer.unvoted',
    subject_id: answer_id,
    actor_id: voter.id,
    payload: { question_id },
    request_id,
  })
}
