import type { Transaction } from '../database/database.ts'
import { hideAnswer, publishAnswer } from '../answers/write-queries.ts'
import { problems } from '../errors/problems.ts'
import { text } from '../locales/texts.ts'
import { hideQuestion, publishQuestion } from '../questions/write-queries.ts'
import { SUBJECT_DELETED } from './decide-on-issue.ts'
import { type DecisionContext, type LockedItem, timeOfEdit } from './decide-queries.ts'

/** @throws Problem 422 `{base}` if the question was deleted or rejected otherwise */
export async function approveQuestion(tx: Transaction, { item, now, edits, request_id }: DecisionContext): Promise<void> {
  const question_id = item.subject_id
  const where = { id: question_id }
  const question = await tx.prisma.question.findUnique({ where })
  if (!question) throw problems.invalid({ base: SUBJECT_DELETED })
  if (question.moderation_state === 'rejected') throw problems.invalid({ base: text('question_rejected_before') })
  if (question.moderation_state === 'passed') {
    const updated_at = timeOfEdit(now, question)
    if (edits.question !== undefined) await tx.prisma.question.updateMany({ where, data: { ...edits, updated_at } })
    return
  }
  const data = { moderation_state: 'passed', created_at: now, updated_at: now, ...edits } as const
  await tx.prisma.question.updateMany({ where, data })
  return publishQuestion(tx, { question_id, asker_id: question.asker_id, now, ...(request_id === undefined ? {} : { request_id }) })
}

/** Hides the question and its answers. Returns false if the question was deleted. */
export async function rejectQuestion(tx: Transaction, { subject_id: id }: LockedItem): Promise<boolean> {
  const exists = (await tx.prisma.question.count({ where: { id } })) > 0
  if (exists) await hideQuestion(tx, id)
  return exists
}

/** @throws Problem 422 `{base}` if the answer was deleted or rejected otherwise, or its question is not public */
export async function approveAnswer(tx: Transaction, { item, now, edits, request_id }: DecisionContext): Promise<void> {
  const answer_id = item.subject_id
  const where = { id: answer_id }
  const answer = await tx.prisma.answer.findUnique({
    where,
    include: { community_question: { select: { moderation_state: true } } },
  })
  if (!answer) throw problems.invalid({ base: SUBJECT_DELETED })
  const { moderation_state, community_question, question_id, answerer_id } = answer
  if (community_question.moderation_state === 'held') throw problems.invalid({ base: text('question_pending_review') })
  if (community_question.moderation_state === 'rejected') throw problems.invalid({ base: text('question_rejected') })
  if (moderation_state === 'rejected') throw problems.invalid({ base: text('answer_rejected_before') })
  if (moderation_state === 'passed') {
    const updated_at = timeOfEdit(now, answer)
    if (edits.answer !== undefined) await tx.prisma.answer.updateMany({ where, data: { ...edits, updated_at } })
    return
  }
  const data = { moderation_state: 'passed', created_at: now, updated_at: now, ...edits } as const
  await tx.prisma.answer.updateMany({ where, data })
  return publishAnswer(tx, { answer_id, question_id, answerer_id, now, ...(request_id === undefined ? {} : { request_id }) })
}

export async function rejectAnswer(tx: Transaction, { subject_id: id }: LockedItem): Promise<boolean> {
  const exists = (await tx.prisma.answer.count({ where: { id } })) > 0
  if (exists) await hideAnswer(tx, id)
  return exists
}
