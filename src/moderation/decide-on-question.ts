import { text } from '../locales/texts.ts'
import type { Transaction } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { publishQuestion } from '../questions/publish-question.ts'
import { hideQuestion } from '../questions/write-queries.ts'
import { type DecisionContext, type LockedItem, timeOfEdit } from './decide-queries.ts'
import { SUBJECT_DELETED } from './decide-on-issue.ts'
import { editQuestion, findQuestionForDecision, markQuestionPassed } from './decide-question-queries.ts'

/** @throws Problem 422 `{base}` if the question was deleted or rejected otherwise */
export async function approveQuestion(tx: Transaction, { item, now, edits, request_id }: DecisionContext): Promise<void> {
  const question_id = item.subject_id
  const question = await findQuestionForDecision(tx, question_id)
  if (!question) throw problems.invalid({ base: SUBJECT_DELETED })
  if (question.moderation_state === 'rejected') throw problems.invalid({ base: text('question_rejected_before') })
  if (question.moderation_state === 'passed') {
    if (edits.question !== undefined) await editQuestion(tx, question_id, timeOfEdit(now, question), edits)
    return
  }
  await markQuestionPassed(tx, question_id, now, edits)
  const { asker_id } = question
  return publishQuestion(tx, { question_id, asker_id, now, ...(request_id === undefined ? {} : { request_id }) })
}

/** Hides the question and its answers. Returns false if the question was deleted. */
export async function rejectQuestion(tx: Transaction, item: LockedItem): Promise<boolean> {
  const question = await findQuestionForDecision(tx, item.subject_id)
  if (question) await hideQuestion(tx, item.subject_id)
  return question !== null
}
