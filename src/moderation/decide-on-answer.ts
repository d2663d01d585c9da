import { text } from '../locales/texts.ts'
import { publishAnswer } from '../answers/publish-answer.ts'
import { hideAnswer } from '../answers/write-queries.ts'
import type { Transaction } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { type DecisionContext, type LockedItem, timeOfEdit } from './decide-queries.ts'
import { SUBJECT_DELETED } from './decide-on-issue.ts'
import { editAnswer, findAnswerForDecision, markAnswerPassed } from './decide-question-queries.ts'

/** @throws Problem 422 `{base}` if the answer was deleted or rejected otherwise, or its question is not public */
export async function approveAnswer(tx: Transaction, { item, now, edits, request_id }: DecisionContext): Promise<void> {
  const answer_id = item.subject_id
  const answer = await findAnswerForDecision(tx, answer_id)
  if (!answer) throw problems.invalid({ base: SUBJECT_DELETED })
  const { moderation_state, community_question, question_id, answerer_id } = answer
  if (community_question.moderation_state === 'held') throw problems.invalid({ base: text('question_pending_review') })
  if (community_question.moderation_state === 'rejected') {
    throw problems.invalid({ base: text('question_rejected') })
  }
  if (moderation_state === 'rejected') throw problems.invalid({ base: text('answer_rejected_before') })
  if (moderation_state === 'passed') {
    if (edits.answer !== undefined) await editAnswer(tx, answer_id, timeOfEdit(now, answer), edits)
    return
  }
  await markAnswerPassed(tx, answer_id, now, edits)
  return publishAnswer(tx, { answer_id, question_id, answerer_id, now, ...(request_id === undefined ? {} : { request_id }) })
}

export async function rejectAnswer(tx: Transaction, item: LockedItem): Promise<boolean> {
  const answer = await findAnswerForDecision(tx, item.subject_id)
  if (answer) await hideAnswer(tx, item.subject_id)
  return answer !== null
}
