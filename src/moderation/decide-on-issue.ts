import { text } from '../locales/texts.ts'
import type { Transaction } from '../database/database.ts'
import { recordEvent } from '../outbox/queries.ts'
import { problems } from '../errors/problems.ts'
import {
  type DecisionContext,
  findIssueForDecision,
  hideIssue,
  type LockedItem,
  publishIssue,
  timeOfEdit,
} from './decide-queries.ts'

/** @throws Problem 422 `{base}` if the report was deleted or rejected otherwise */
export async function approveIssue(tx: Transaction, { item, now, edits, request_id }: DecisionContext): Promise<void> {
  const issue = await findIssueForDecision(tx, item.subject_id)
  if (!issue) throw problems.invalid({ base: SUBJECT_DELETED })
  if (issue.moderation_state === 'rejected') throw problems.invalid({ base: text('report_rejected_before') })
  if (issue.moderation_state === 'passed') {
    const data = { ...edits, updated_at: timeOfEdit(now, issue) }
    if (Object.keys(edits).length > 0) await tx.prisma.issue.updateMany({ where: { id: item.subject_id }, data })
    return
  }
  await publishIssue(tx, item.subject_id, now, edits)
  return recordEvent(tx, {
    type: 'issue.reported',
    subject_id: item.subject_id,
    actor_id: issue.reporter_id,
    payload: { moderation_item_id: item.id },
    ...(request_id === undefined ? {} : { request_id }),
  })
}

export async function rejectIssue(tx: Transaction, item: LockedItem): Promise<boolean> {
  const issue = await findIssueForDecision(tx, item.subject_id)
  if (issue) await hideIssue(tx, item.subject_id)
  return issue !== null
}

/** An item remains without its subject only if rows are deleted manually. */
export const SUBJECT_DELETED = text('subject_missing')
