import { text } from '../locales/texts.ts'
import type { Transaction } from '../database/database.ts'
import { recordEvent } from '../outbox/queries.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { problems } from '../errors/problems.ts'
import { lockAnswer } from './write-answer.ts'
import { pointsFor } from '../users/rules.ts'

interface AnswerVoteInput {
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

interface AnswerVote {
  readonly answer_id: number
  readonly user_id: number
}

/** Returns false if the user has already voted. `updated_at` stays, because the answer is unchanged. Requires `lockAnswer`. */
async function addAnswerVote(
  tx: Transaction,
  { answer_id, user_id, created_at }: AnswerVote & { readonly created_at: Date },
): Promise<boolean> {
  const { count } = await tx.prisma.answerVote.createMany({ data: { answer_id, user_id, created_at }, skipDuplicates: true })
  if (count > 0) await addPoints(tx, user_id, pointsFor.vote)
  return count > 0
}

/** Deletes a vote and reverses its points. Returns false if there is none. Requires `lockAnswer`. */
async function removeAnswerVote(tx: Transaction, { answer_id, user_id }: AnswerVote): Promise<boolean> {
  const { count } = await tx.prisma.answerVote.deleteMany({ where: { answer_id, user_id } })
  if (count > 0) await addPoints(tx, user_id, -pointsFor.vote)
  return count > 0
}

async function addPoints(tx: Transaction, id: number, points: number): Promise<void> {
  await tx.prisma.user.updateMany({ where: { id }, data: { civic_points: { increment: points } } })
}
