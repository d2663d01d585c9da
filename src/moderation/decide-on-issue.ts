import type { Transaction } from '../database/database.ts'
import { type OwedEffect, recordEvent } from '../outbox/queries.ts'
import { problems } from '../errors/problems.ts'
import type { Deciding } from './decision.ts'
import { editIssue, findIssueToDecideOn, hideIssue, type LockedItem, publishIssue } from './decide-queries.ts'

/** @throws Problem 422 `{base}` where the report is gone or was rejected otherwise */
export async function approveIssue(tx: Transaction, { item, at, edits, request_id }: Deciding): Promise<OwedEffect[]> {
  const issue = await findIssueToDecideOn(tx, item.subject_id)
  if (!issue) throw problems.invalid({ base: GONE })
  if (issue.moderation_state === 'rejected') throw problems.invalid({ base: 'This report was rejected before.' })
  if (issue.moderation_state === 'passed') {
    if (Object.values(edits).some((text) => text !== undefined)) await editIssue(tx, item.subject_id, at, edits)
    return []
  }
  await publishIssue(tx, item.subject_id, at, edits)
  return recordEvent(tx, {
    type: 'issue.reported',
    subject_id: item.subject_id,
    actor_id: issue.reporter_id,
    payload: { moderation_item_id: item.id },
    ...(request_id === undefined ? {} : { request_id }),
  })
}

/** False where it is gone. */
export async function rejectIssue(tx: Transaction, item: LockedItem): Promise<boolean> {
  const issue = await findIssueToDecideOn(tx, item.subject_id)
  if (issue) await hideIssue(tx, item.subject_id)
  return issue !== undefined
}

/** An item outlives its subject only where somebody deletes rows by hand. */
export const GONE = 'What this was about is gone: it can only be rejected.'
