import type { Transaction } from '../database/database.ts'
import { type OwedEffect, recordEvent } from '../outbox/queries.ts'
import { type KeptPicture, storePicture } from '../media/keep-picture.ts'
import { addMedium } from '../media/queries.ts'
import type { Viewer } from '../http/auth/access.ts'
import { type Faults, problems } from '../errors/problems.ts'
import { findIssueToActOn, type IssueToActOn, lockIssue } from '../issue-lifecycle/move-issue.ts'
import { judge, type Move, refusalOf } from '../issue-lifecycle/transitions.ts'
import type { Status } from '../issue-lifecycle/status.ts'
import { holdItem } from '../content-policy/hold-queries.ts'
import { reasonsToHold } from '../content-policy/policy.ts'
import type { Services } from '../services.ts'
import { type CheckedComment, checkComment } from './check-comment.ts'
import { publishComment } from './publish-comment.ts'
import { findStandingOfIssue } from './queries.ts'
import { type Commenter, insertComment, lockCommenter } from './write-queries.ts'

export interface CommentToWrite {
  readonly issueId: number
  /** What is to happen to the issue with it. */
  readonly move?: Move | undefined
  /** Fields as JSON or a form gave them, the picture as `Upload`. */
  readonly body: unknown
  /** What is already known to be wrong with them. */
  readonly faults?: Faults | undefined
  readonly commenter: Viewer
  /** The language that the client asks for; undefined takes the commenter's own. */
  readonly locale: string | undefined
  readonly requestId: string
  /** The transaction in which it is written: `db.transaction`, or `once` of an Idempotency-Key. */
  readonly inTransaction: (work: (tx: Transaction) => Promise<Written>) => Promise<Written>
}

/** How the issue stood right then: somebody else may have moved it since. `held`: a moderator looks at it first. */
export type Written = { readonly id: number; readonly held: boolean; readonly status: Status; readonly rating: number }

/**
 * Writes a comment and makes the move that it came with. The picture is cleaned and stored before anything is written; everything else is
 * one transaction: the comment, the picture's name, the points, the issue's state and history, and the events. Of several moves at once
 * the first wins, and the others are refused.
 * @throws Problem 404, 403 where the move needs an employee, 422 with all faults at once, `base` where the state does not allow the move;
 * 503 where a picture cannot be kept now
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
    const author = await lockCommenter(tx, { id: commenter.id, comment: checked.comment, now })
    // The account went away while the body was on its way.
    if (!author) throw problems.loginNeeded()
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

/** @throws Problem 403 where the move is not for whoever asks */
function refusalNow({ status, standing }: IssueToActOn, move: Move | undefined): { readonly base: string } | undefined {
  if (!move) return undefined
  const verdict = judge(move, status, standing)
  if ('to' in verdict) return undefined
  if (verdict.refused === 'needs an employee') throw problems.notPermitted(EMPLOYEES_ONLY)
  return { base: refusalOf(move, status) }
}

const EMPLOYEES_ONLY = 'This is for employees of the organisation that looks after the issue.'

interface Writing {
  readonly issue: IssueToActOn
  readonly move: Move | undefined
  readonly author: Commenter
  readonly checked: CheckedComment
  readonly picture: KeptPicture | undefined
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
    // What its own employees write is no news to the organisation.
    organizationHolds: issue.holds && issue.standing !== 'employee',
  })
}
