import { languageOf, textsIn } from '../locales/texts.ts'
import { holdComment, publishLocked } from '../comments/publish-comment.ts'
import { COMMENT_MAX } from '../comments/new-comment.ts'
import { findReviewReasons } from '../content-policy/policy.ts'
import type { Transaction } from '../database/database.ts'
import { readState, type UpdateStatus } from '../georeport/parse-response.ts'
import { lockUser } from '../issue-lifecycle/lock-issue.ts'
import { checkTransition, type TransitionName } from '../issue-lifecycle/transitions.ts'
import type { Receiver } from './endpoint-queries.ts'
import { forgetRemoteStatus, setRemoteStatus, type LockedIssue, lockForwardedIssue } from './issue-queries.ts'

export interface ReceivedUpdate {
  readonly issue_id: number
  /** The id at the endpoint; null for a status that was read from the service request. */
  readonly update_id: string | null
  readonly status: string | undefined
  readonly text: string | undefined
  readonly media_url: string | undefined
  readonly happened_at: Date | undefined
  /** The status that was known when the service request was read. If another one is known meanwhile, what was read is outdated. */
  readonly known_status?: string | null
}

type AppliedUpdate = 'known' | 'applied'

/**
 * Adds the update as a comment of the receiver, with the transition that its status means, once for each id. An older update does not
 * revert a newer status.
 */
export async function applyUpdate(tx: Transaction, update: ReceivedUpdate, receiver: Receiver, now: Date): Promise<AppliedUpdate> {
  await lockUser(tx, receiver.id)
  const issue = await lockForwardedIssue(tx, update.issue_id)
  if (!issue) return 'known'
  if (update.update_id === null && (issue.has_unsent_change || issue.remote_status !== update.known_status)) return 'known'
  const isNewest = !isOlder(update, issue)
  const transition = isNewest && !issue.has_unsent_change ? findTransition(issue, update) : undefined
  if (update.update_id === null) {
    const isChanged = update.status !== undefined && (await setRemoteStatus(tx, issue.id, update.status))
    // A service request has a status all the time, so only one that changes the issue is news.
    if (!isChanged || !transition) return 'known'
  }
  const stored = await addReceivedUpdate(tx, update)
  if (stored === undefined) return 'known'
  const reasons = findHoldReasons(update, receiver, now)
  const isHeld = reasons.length > 0 && update.update_id !== null
  if (update.status !== undefined && isNewest) await setRemoteStatus(tx, issue.id, update.status, update.update_id !== null)
  // A closed issue is only opened by an update that acknowledges it. It is acknowledged when its status is read, as is the status with a held text.
  const isHalfway = transition?.name === 'open' && readState(update.status) === 'Acknowledged'
  if (isHalfway || (isHeld && transition)) await forgetRemoteStatus(tx, issue.id)
  // The note of a service request is read again and again, so it is not held: a standard text replaces it.
  const comment = toComment(reasons.length > 0 && !isHeld ? { ...update, text: undefined } : update, receiver)
  const row = {
    issue_id: issue.id,
    commenter_id: receiver.id,
    comment,
    video_url: null,
    locale: receiver.locale,
    device_id: null,
    created_at: now,
  }
  const comment_id = isHeld
    ? await holdComment(tx, { row, reasons })
    : (await publishLocked(tx, { issue_id: issue.id, comment: row, commenter_id: receiver.id, transition, now })).id
  await tx.prisma.forwardedUpdate.updateMany({ where: { id: stored }, data: { comment_id } })
  return 'applied'
}

/** The policy is that for comments of the receiver, but several residents may write the same text at the endpoint. */
const findHoldReasons = ({ text }: ReceivedUpdate, { locale, created_at }: Receiver, now: Date) =>
  findReviewReasons({
    texts: text === undefined ? [] : [text],
    locale,
    authorCreatedAt: new Date(created_at),
    now,
    duplicateCount: 0,
    organizationReviewsAll: false,
  })

/** Returns undefined if the update was received before. */
async function addReceivedUpdate(
  tx: Transaction,
  { issue_id, update_id, happened_at }: ReceivedUpdate,
): Promise<bigint | undefined> {
  const [added] = await tx.prisma.forwardedUpdate.createManyAndReturn({
    data: { issue_id, is_received: true, remote_update_id: update_id, happened_at: happened_at ?? null },
    skipDuplicates: true,
    select: { id: true },
  })
  return added?.id
}

const transitionTo: Readonly<Record<UpdateStatus, TransitionName>> = { Open: 'open', Acknowledged: 'acknowledge', Closed: 'close' }

/** Returns whether the status has been changed since the update. */
export const isOlder = ({ happened_at }: Pick<ReceivedUpdate, 'happened_at'>, { status_changed_at }: LockedIssue): boolean =>
  happened_at !== undefined && status_changed_at !== null && happened_at < new Date(status_changed_at)

function findTransition({ status: from, moderation_state, remote_status }: LockedIssue, { status }: ReceivedUpdate) {
  const target = readState(status)
  // An update with the status that the endpoint had before is a comment.
  const isChanged = target !== readState(remote_status ?? undefined)
  if (target === undefined || target === from || !isChanged || moderation_state !== 'passed') return undefined
  // A closed issue must be opened before it can be acknowledged; an acknowledged one is open for the endpoint.
  const name = from === 'Closed' ? 'open' : transitionTo[target]
  const check = checkTransition(name, from, 'employee')
  return 'to' in check ? { name, from, to: check.to } : undefined
}

function toComment({ text, media_url, status }: ReceivedUpdate, { locale }: Receiver): string {
  const standard = textsIn(languageOf(locale))(`standardUpdate.${readState(status) ?? 'unchanged'}`)
  const link = media_url !== undefined && /^https?:\/\/\S{1,1000}$/.test(media_url) ? `\n\n${media_url}` : ''
  const characters = [...(text ?? standard)]
  const max = COMMENT_MAX - link.length
  return (characters.length <= max ? characters.join('') : `${characters.slice(0, max - 1).join('')}…`) + link
}
