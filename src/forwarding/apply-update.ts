import Type from 'typebox'

import { publishComment } from '../comments/publish-comment.ts'
import { insertComment } from '../comments/write-queries.ts'
import { COMMENT_MAX } from '../comments/write-schema.ts'
import { Id, IdRow, nullable, stringEnum, Timestamp } from '../database/columns.ts'
import { sql, type Transaction } from '../database/database.ts'
import { languageOf } from '../errors/texts/languages.ts'
import { fromReceivedStatus } from './statuses.ts'
import { moderationStates } from '../issue-lifecycle/moderation-state.ts'
import { type Status, statuses } from '../issue-lifecycle/status.ts'
import { checkTransition, type TransitionName } from '../issue-lifecycle/transitions.ts'
import type { OutboxDelivery } from '../outbox/queries.ts'
import type { Receiver } from './endpoint-queries.ts'
import { setRemoteStatus } from './issue-queries.ts'
import { updateTexts } from './update-texts.ts'

export interface ReceivedUpdate {
  readonly issue_id: number
  /** The id at the endpoint; null for a status that was read from the service request. */
  readonly update_id: string | null
  readonly status: string | undefined
  readonly text: string | undefined
  readonly media_url: string | undefined
  readonly happened_at: Date | undefined
}

export type AppliedUpdate = 'sent by us' | 'known' | readonly OutboxDelivery[]

const LockedIssue = Type.Object({
  id: Id,
  status: stringEnum(statuses),
  moderation_state: stringEnum(moderationStates),
  status_changed_at: nullable(Timestamp),
})

/**
 * Adds the update as a comment of the receiver, with the transition that its status means, once for each id. An older update does not
 * revert a newer status.
 */
export async function applyUpdate(tx: Transaction, update: ReceivedUpdate, receiver: Receiver, now: Date): Promise<AppliedUpdate> {
  const [issue] = await tx.query(
    LockedIssue,
    sql`
      SELECT i.id, i.status, i.moderation_state,
        (SELECT max(s.created_at) FROM status_changes s WHERE s.issue_id = i.id AND s.from_status IS NOT NULL) AS status_changed_at
      FROM issues i WHERE i.id = ${update.issue_id} FOR NO KEY UPDATE OF i`,
  )
  if (!issue) return 'known'
  if (await isSentByUs(tx, update)) return 'sent by us'
  const transition = findTransition(issue, update)
  const isStatusOnly = update.update_id === null
  if (update.status !== undefined) {
    const isChanged = await setRemoteStatus(tx, issue.id, update.status)
    if (isStatusOnly && !isChanged) return 'known'
  }
  // A service request has a status all the time, so only one that changes the issue is news.
  if (isStatusOnly && !transition) return 'known'
  const stored = isStatusOnly ? await addStatusRow(tx, issue.id) : await addUpdateRow(tx, issue.id, update.update_id)
  if (stored === undefined) return 'known'
  const comment_id = await insertComment(tx, {
    issue_id: issue.id,
    commenter_id: receiver.id,
    comment: toComment(update, receiver),
    video_url: null,
    locale: receiver.locale,
    device_id: null,
    moderation_state: 'passed',
    created_at: now,
  })
  await tx.execute(sql`UPDATE forwarded_updates stored SET comment_id = ${comment_id} WHERE stored.id = ${stored}`)
  return publishComment(tx, { issue_id: issue.id, comment_id, commenter_id: receiver.id, transition, now })
}

async function addUpdateRow(tx: Transaction, issueId: number, updateId: string | null): Promise<number | undefined> {
  const [added] = await tx.query(
    IdRow,
    sql`
      INSERT INTO forwarded_updates (issue_id, is_received, remote_update_id) VALUES (${issueId}, TRUE, ${updateId})
      ON CONFLICT (issue_id, remote_update_id) DO NOTHING RETURNING forwarded_updates.id`,
  )
  return added?.id
}

const addStatusRow = (tx: Transaction, issueId: number) => addUpdateRow(tx, issueId, null)

/** Endpoints list the updates that were sent to them. One whose response was lost is recognized by its text. */
async function isSentByUs(tx: Transaction, { issue_id, update_id, text }: ReceivedUpdate): Promise<boolean> {
  if (update_id === null) return false
  const recognized = await tx.execute(sql`
    UPDATE forwarded_updates stored SET remote_update_id = ${update_id}
    WHERE stored.id = (
      SELECT sent.id FROM forwarded_updates sent JOIN comments c ON c.id = sent.comment_id
      WHERE sent.issue_id = ${issue_id} AND NOT sent.is_received AND sent.attempts > 0
        AND (sent.remote_update_id = ${update_id} OR (sent.remote_update_id IS NULL
          AND regexp_replace(btrim(c.comment), '\\s+', ' ', 'g') = ${text?.replaceAll(/\s+/g, ' ').trim() ?? ''}
          AND NOT EXISTS (SELECT FROM forwarded_updates known WHERE known.issue_id = ${issue_id} AND known.remote_update_id = ${update_id})))
      ORDER BY sent.remote_update_id NULLS LAST, sent.id LIMIT 1)`)
  return recognized > 0
}

type LockedRow = { readonly status: Status; readonly moderation_state: string; readonly status_changed_at: string | null }
type Target = Exclude<Status, 'Archived'>

const transitionTo: Readonly<Record<Target, TransitionName>> = { Open: 'open', Acknowledged: 'acknowledge', Closed: 'close' }

function findTransition({ status: from, moderation_state, status_changed_at }: LockedRow, { status, happened_at }: ReceivedUpdate) {
  const target = fromReceivedStatus(status)
  const isOlder = happened_at !== undefined && status_changed_at !== null && happened_at < toSecond(status_changed_at)
  if (target === undefined || target === from || moderation_state !== 'passed' || isOlder) return undefined
  // A closed issue must be opened before it can be acknowledged; an acknowledged one is open for the endpoint.
  const name = from === 'Closed' ? 'open' : transitionTo[target]
  const check = checkTransition(name, from, 'employee')
  return 'to' in check ? { name, from, to: check.to } : undefined
}

/** Endpoints give times to the second. */
const toSecond = (timestamp: string) => new Date(Math.floor(Date.parse(timestamp) / 1000) * 1000)

function toComment({ text, media_url, status }: ReceivedUpdate, { locale }: Receiver): string {
  const standard = updateTexts[languageOf(locale)][fromReceivedStatus(status) ?? 'none']
  const link = media_url !== undefined && /^https?:\/\/\S{1,1000}$/.test(media_url) ? `\n\n${media_url}` : ''
  const characters = [...(text ?? standard)]
  const max = COMMENT_MAX - link.length
  return (characters.length <= max ? characters.join('') : `${characters.slice(0, max - 1).join('')}…`) + link
}
