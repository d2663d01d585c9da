import type { Transaction } from '../database/database.ts'
import { type OwedEffect, recordEvent } from '../outbox/queries.ts'
import { type StoredPicture, storePicture } from '../media/store-picture.ts'
import { addMedium } from '../media/queries.ts'
import type { Viewer } from '../http/auth/access.ts'
import { type ValidationErrors, problems } from '../errors/problems.ts'
import { findIssueToActOn, type IssueToActOn, lockIssue } from '../issue-lifecycle/move-issue.ts'
import { judge, type Move, refusalOf } from '../issue-lifecycle/transitions.ts'
import type { Status } from '../issue-lifecycle/status.ts'
import { type Author, lockAuthor } from '../content-policy/author-queries.ts'
import { holdItem } from '../content-policy/hold-queries.ts'
import { reasonsToHold } from '../content-policy/policy.ts'
import type { Services } from '../services.ts'
import { type CheckedComment, checkComment } from './check-comment.ts'
import { publishComment } from './publish-comment.ts'
import { findStandingOfIssue } from './queries.ts'
import { earlierComments, insertComment } from './write-queries.ts'
import { text, type Text } from '../errors/texts/text.ts'

export interface CommentToWrite {
  readonly issueId: number
  readonly move?: Move | undefined
  readonly body: unknown
  readonly faults?: ValidationErrors | undefined
  readonly commenter: Viewer
  readonly locale: string | undefined
  readonly requestId: string
  /** Runs the transaction: `db.transaction`, or `once` of an Idempotency-Key. */
  readonly inTransaction: (work: (tx: Transaction) => Promise<Written>) => Promise<Written>
}

/**
 * The state of the issue in the transaction; a concurrent request may have changed it since. `held` means that the comment is
 * pending review.
 */
export type Written = { readonly id: number; readonly held: boolean; readonly status: Status; readonly rating: number }

/**
 * Writes a comment and applies its status change. The picture is re-encoded and stored first; everything else is one
 * transaction. The first of several concurrent status changes succeeds, and the others are refused.
 * @throws Problem 404; 403 if the status change requires an employee; 422 with all validation errors, `base` if the current
 * status does not allow the change; 503 if the picture cannot be stored now
 */
export async function writeComment(
  services: Pick<Services, 'db' | 'files' | 'clock' | 'wakeEffects'>,
  { issueId, move, body, faults, commenter, locale, requestId, inTransaction }: CommentToWrite,
): Promise<Written> {
  const { db, files, clock, wakeEffects } = services
  const now = clock()
  const before = refusalNow(await findIssueToActOn(db, issueId, commenter), move)
  const checked = await checkComment(body, { ...faults, ...before })
  const picture = checked.picture && (await storePicture(files, checked.picture))
  let owed: readonly OwedEffect[] = []
  const written = await inTransaction(async (tx) => {
    const issue = await lockIssue(tx, issueId, commenter)
    const refused = refusalNow(issue, move)
    if (refused) throw problems.invalid(refused)
    const author = await lockAuthor(tx, { id: commenter.id, text: checked.comment, now }, earlierComments)
    const written = await write(tx, {
      issue,
      move,
      author,
      checked,
      picture,
      commenter,
      locale: locale ?? author.locale,
      now,
      requestId,
    })
    owed = written.owed
    return { id: written.id, held: written.held, ...(await findStandingOfIssue(tx, issueId)) }
  })
  wakeEffects(owed)
  return written
}

/** @throws Problem 403 if the caller may not make the status change */
function refusalNow({ status, standing }: IssueToActOn, move: Move | undefined): { readonly base: Text } | undefined {
  if (!move) return undefined
  const verdict = judge(move, status, standing)
  if ('to' in verdict) return undefined
  if (verdict.refused === 'needs an employee') throw problems.notPermitted(EMPLOYEES_ONLY)
  return { base: refusalOf(move, status) }
}

const EMPLOYEES_ONLY = text('employees_only')

interface Writing {
  readonly issue: IssueToActOn
  readonly move: Move | undefined
  readonly author: Author
  readonly checked: CheckedComment
  readonly picture: StoredPicture | undefined
  readonly commenter: Viewer
  readonly locale: string
  readonly now: Date
  readonly requestId: string
}

async function write(tx: Transaction, writing: Writing): Promise<{ id: number; held: boolean; owed: OwedEffect[] }> {
  const { issue, move, checked, picture, commenter, locale, now } = writing
  const reasons = reasonsOf(writing)
  const held = reasons.length > 0
  const { comment, video_url, device_id } = checked
  const row = { issue_id: issue.id, commenter_id: commenter.id, comment, video_url, locale, device_id, at: now }
  const id = await insertComment(tx, { ...row, moderation_state: held ? 'held' : 'passed' })
  const by = { actor_id: commenter.id, request_id: writing.requestId }
  const owed: OwedEffect[] = []
  if (picture) {
    const medium = await addMedium(tx, { issue_id: issue.id, comment_id: id, ...picture })
    owed.push(...(await recordEvent(tx, { type: 'medium.added', subject_id: medium, ...by })))
  }
  if (held) {
    await holdItem(tx, { subject_type: 'comment', subject_id: id, reasons, original: { comment }, requested_move: move, at: now })
    owed.push(...(await recordEvent(tx, { type: 'comment.held', subject_id: id, payload: { issue_id: issue.id }, ...by })))
  } else {
    const verdict = move && judge(move, issue.status, issue.standing)
    const judged = move && verdict && 'to' in verdict ? { move, from: issue.status, to: verdict.to } : undefined
    owed.push(
      ...(await publishComment(tx, {
        issue_id: issue.id,
        comment_id: id,
        commenter_id: commenter.id,
        move: judged,
        at: now,
        request_id: writing.requestId,
      })),
    )
  }
  return { id, held, owed }
}

function reasonsOf({ issue, author, checked, locale, now }: Writing) {
  return reasonsToHold({
    texts: [checked.comment],
    locale,
    authorSince: new Date(author.created_at),
    now,
    sameBefore: author.same_before,
    // Comments by the organisation's employees skip its review.
    organizationHolds: issue.holds && issue.standing !== 'employee',
  })
}
