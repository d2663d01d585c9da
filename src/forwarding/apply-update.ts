import Type, { type Static } from 'typebox'

import { publishComment } from '../comments/publish-comment.ts'
import { insertComment } from '../comments/write-queries.ts'
import { COMMENT_MAX } from '../comments/write-schema.ts'
import { Id, IdRow, nullable, stringEnum, Timestamp } from '../database/columns.ts'
import { sql, type Transaction } from '../database/database.ts'
import { languageOf } from '../errors/texts/languages.ts'
import { CLOCK_DIFFERENCE_MS } from '../georeport/geo-report.ts'
import { readState, type UpdateStatus } from '../georeport/update-states.ts'
import { updateTexts } from '../georeport/update-texts.ts'
import { moderationStates } from '../issue-lifecycle/moderation-state.ts'
import { statuses } from '../issue-lifecycle/status.ts'
import { checkTransition, type TransitionName } from '../issue-lifecycle/transitions.ts'
import type { OutboxDelivery } from '../outbox/queries.ts'
import type { Receiver } from './endpoint-queries.ts'
import { setRemoteStatus } from './issue-queries.ts'
import { isSentText } from './sent-text.ts'

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
  /**
   * The last change: by this service until the endpoint lists it, then by the time at which the endpoint lists it, or an update of the endpoint
   * by its own clock.
   */
  status_changed_at: nullable(Timestamp),
  remote_status: nullable(Type.String()),
  /** A change by this service that the endpoint does not know yet will be its status. */
  has_unsent_change: Type.Boolean(),
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
        greatest(
          (SELECT max(s.created_at) FROM status_changes s WHERE s.issue_id = i.id AND s.from_status IS NOT NULL AND NOT EXISTS (
            SELECT FROM forwarded_updates known WHERE known.comment_id = s.comment_id AND (known.is_received OR known.happened_at IS NOT NULL))),
          (SELECT max(coalesce(sent.happened_at, sent.sent_at)) FROM forwarded_updates sent JOIN status_changes s ON s.comment_id = sent.comment_id
            WHERE sent.issue_id = i.id AND NOT sent.is_received),
          (SELECT max(least(received.happened_at, now())) FROM forwarded_updates received
            WHERE received.issue_id = i.id AND received.is_received)) AS status_changed_at,
        forwarded.remote_status,
        EXISTS (
          SELECT FROM events event
          JOIN outbox_deliveries delivery ON delivery.event_id = event.id AND delivery.handler = 'forward-update'
          JOIN status_changes s ON s.issue_id = i.id AND s.comment_id = (event.payload ->> 'comment_id')::integer
          JOIN forwarding_endpoints endpoint ON endpoint.organization_id = forwarded.organization_id AND endpoint.sends_updates
          WHERE event.subject_type = 'issue' AND event.subject_id = i.id AND delivery.delivered_at IS NULL AND delivery.dead_at IS NULL
            AND NOT EXISTS (
              SELECT FROM forwarded_updates known
              WHERE known.comment_id = s.comment_id AND (known.is_received OR known.happened_at IS NOT NULL))) AS has_unsent_change
      FROM issues i LEFT JOIN forwarded_issues forwarded ON forwarded.issue_id = i.id
      WHERE i.id = ${update.issue_id} FOR NO KEY UPDATE OF i`,
  )
  if (!issue) return 'known'
  if (await isSentByUs(tx, update)) return 'sent by us'
  const isNewest = !isOlder(update, issue)
  const transition = isNewest && !issue.has_unsent_change ? findTransition(issue, update) : undefined
  if (update.update_id === null) {
    const isChanged = update.status !== undefined && (await setRemoteStatus(tx, issue.id, update.status))
    // A service request has a status all the time, so only one that changes the issue is news.
    if (!isChanged || !transition) return 'known'
  }
  const stored = await addReceivedUpdate(tx, update)
  if (stored === undefined) return 'known'
  // A closed issue is only opened by an update that acknowledges it, so that the next one acknowledges it.
  const isHalfway = transition?.name === 'open' && readState(update.status) === 'Acknowledged'
  const known = isHalfway ? 'open' : update.status
  if (known !== undefined && isNewest) await setRemoteStatus(tx, issue.id, known)
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

/** Returns undefined if the update was received before. */
async function addReceivedUpdate(
  tx: Transaction,
  { issue_id, update_id, happened_at }: ReceivedUpdate,
): Promise<number | undefined> {
  const [added] = await tx.query(
    IdRow,
    sql`
      INSERT INTO forwarded_updates (issue_id, is_received, remote_update_id, happened_at)
      VALUES (${issue_id}, TRUE, ${update_id}, ${happened_at?.toISOString() ?? null}::timestamptz)
      ON CONFLICT (issue_id, remote_update_id) DO NOTHING RETURNING forwarded_updates.id`,
  )
  return added?.id
}

const SentRow = Type.Object({ id: Id, comment: Type.String(), remote_update_id: nullable(Type.String()) })

/**
 * Endpoints list the updates that were sent to them. One whose id is not known, because the response was lost or had none, is recognized by its
 * text and time.
 */
async function isSentByUs(tx: Transaction, { issue_id, update_id, text, happened_at }: ReceivedUpdate): Promise<boolean> {
  if (update_id === null) return false
  const candidates = await tx.query(
    SentRow,
    sql`
      SELECT sent.id, c.comment, sent.remote_update_id FROM forwarded_updates sent JOIN comments c ON c.id = sent.comment_id
      WHERE sent.issue_id = ${issue_id} AND NOT sent.is_received AND (sent.remote_update_id = ${update_id} OR (
        sent.remote_update_id IS NULL AND (sent.sent_at IS NOT NULL OR sent.unknown_since IS NOT NULL)
        AND coalesce(${happened_at?.toISOString() ?? null}::timestamptz BETWEEN c.created_at - make_interval(secs => ${CLOCK_DIFFERENCE_MS / 1_000})
          AND coalesce(sent.sent_at, now()) + make_interval(secs => ${CLOCK_DIFFERENCE_MS / 1_000}), TRUE)
        AND NOT EXISTS (SELECT FROM forwarded_updates known WHERE known.issue_id = ${issue_id} AND known.remote_update_id = ${update_id})))
      ORDER BY sent.remote_update_id NULLS LAST, sent.id`,
  )
  const found = candidates.find(({ comment, remote_update_id }) => remote_update_id !== null || isSentText(text ?? '', comment))
  if (!found) return false
  await tx.execute(sql`
    UPDATE forwarded_updates stored
    SET remote_update_id = ${update_id}, happened_at = coalesce(stored.happened_at, ${happened_at?.toISOString() ?? null}::timestamptz)
    WHERE stored.id = ${found.id} AND (stored.remote_update_id IS NULL OR stored.happened_at IS NULL)`)
  return true
}

type LockedRow = Static<typeof LockedIssue>

const transitionTo: Readonly<Record<UpdateStatus, TransitionName>> = { Open: 'open', Acknowledged: 'acknowledge', Closed: 'close' }

const isOlder = ({ happened_at }: ReceivedUpdate, { status_changed_at }: LockedRow): boolean =>
  happened_at !== undefined && status_changed_at !== null && happened_at < toSecond(status_changed_at)

function findTransition({ status: from, moderation_state, remote_status }: LockedRow, { status }: ReceivedUpdate) {
  const target = readState(status)
  // An update with the status that the endpoint had before is a comment.
  const isChanged = target !== readState(remote_status ?? undefined)
  if (target === undefined || target === from || !isChanged || moderation_state !== 'passed') return undefined
  // A closed issue must be opened before it can be acknowledged; an acknowledged one is open for the endpoint.
  const name = from === 'Closed' ? 'open' : transitionTo[target]
  const check = checkTransition(name, from, 'employee')
  return 'to' in check ? { name, from, to: check.to } : undefined
}

/** Endpoints give times to the second. */
const toSecond = (timestamp: string) => new Date(Math.floor(Date.parse(timestamp) / 1000) * 1000)

function toComment({ text, media_url, status }: ReceivedUpdate, { locale }: Receiver): string {
  const standard = updateTexts[languageOf(locale)][readState(status) ?? 'unchanged']
  const link = media_url !== undefined && /^https?:\/\/\S{1,1000}$/.test(media_url) ? `\n\n${media_url}` : ''
  const characters = [...(text ?? standard)]
  const max = COMMENT_MAX - link.length
  return (characters.length <= max ? characters.join('') : `${characters.slice(0, max - 1).join('')}…`) + link
}
