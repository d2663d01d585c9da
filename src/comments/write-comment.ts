import type { Transaction } from '../database/database.ts'
import { type OutboxDelivery, recordEvent } from '../outbox/queries.ts'
import { type StoredImage, storeImage } from '../media/store-image.ts'
import { addImage } from '../media/queries.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { type ValidationErrors, problems } from '../errors/problems.ts'
import { findActionableIssue, type ActionableIssue, lockIssue } from '../issue-lifecycle/lock-issue.ts'
import { checkTransition, type TransitionName, refusalMessage } from '../issue-lifecycle/transitions.ts'
import type { Status } from '../issue-lifecycle/status.ts'
import { type Author, lockAuthorAndCountDuplicates } from '../content-policy/author-queries.ts'
import { findReviewReasons } from '../content-policy/policy.ts'
import type { Services } from '../services.ts'
import { type CheckedComment, checkComment } from './check-comment.ts'
import { holdComment } from './hold-comment.ts'
import { publishComment } from './publish-comment.ts'
import { findIssueState } from './queries.ts'
import { earlierComments, insertComment } from './write-queries.ts'
import { text, type Text } from '../errors/texts/text.ts'

export interface CommentRequest {
  readonly issueId: number
  readonly transition?: TransitionName | undefined
  readonly body: unknown
  readonly inputErrors?: ValidationErrors | undefined
  readonly commenter: Viewer
  readonly locale: string | undefined
  readonly requestId: string
  /** The text is not held for review because the author has written the same one before. */
  readonly mayRepeat?: boolean
  /** Runs the transaction: `db.transaction`, or `idempotent` for an Idempotency-Key. */
  readonly inTransaction: (work: (tx: Transaction) => Promise<CommentResult>) => Promise<CommentResult>
}

/** `status` and `rating` are those of the issue in the transaction; a concurrent request may have changed them since. */
export type CommentResult = {
  readonly id: number
  readonly isPendingReview: boolean
  readonly status: Status
  readonly rating: number
}

/**
 * The image is stored first; everything else is one transaction. The first of several concurrent transitions succeeds.
 * @throws Problem 404; 403 if the transition requires an employee; 422 with all validation errors, under `base` if the current
 * status does not allow the transition; 503 if the image cannot be stored now
 */
export async function writeComment(
  services: Pick<Services, 'db' | 'files' | 'clock' | 'enqueueDeliveries'>,
  { issueId, transition, body, inputErrors, commenter, locale, requestId, mayRepeat = false, inTransaction }: CommentRequest,
): Promise<CommentResult> {
  const { db, files, clock, enqueueDeliveries } = services
  const now = clock()
  const transitionError = findTransitionError(await findActionableIssue(db, issueId, commenter), transition)
  const checked = await checkComment(body, { ...inputErrors, ...transitionError })
  const image = checked.image && (await storeImage(files, checked.image))
  let deliveries: readonly OutboxDelivery[] = []
  const written = await inTransaction(async (tx) => {
    const issue = await lockIssue(tx, issueId, commenter)
    const transitionError = findTransitionError(issue, transition)
    if (transitionError) throw problems.invalid(transitionError)
    const author = await lockAuthorAndCountDuplicates(tx, { id: commenter.id, text: checked.comment, now }, earlierComments)
    const inserted = await insertCommentAndEvents(tx, {
      issue,
      transition,
      author,
      checked,
      image,
      commenter,
      locale: locale ?? author.locale,
      now,
      requestId,
      mayRepeat,
    })
    deliveries = inserted.deliveries
    return { id: inserted.id, isPendingReview: inserted.isPendingReview, ...(await findIssueState(tx, issueId)) }
  })
  enqueueDeliveries(deliveries)
  return written
}

/** @throws Problem 403 if the caller may not make the transition */
function findTransitionError(
  { status, actor_role }: ActionableIssue,
  transition: TransitionName | undefined,
): { readonly base: Text } | undefined {
  if (!transition) return undefined
  const check = checkTransition(transition, status, actor_role)
  if ('to' in check) return undefined
  if (check.refused === 'employee required') throw problems.notPermitted(EMPLOYEES_ONLY)
  return { base: refusalMessage(transition, status) }
}

const EMPLOYEES_ONLY = text('employees_only')

interface WriteInput {
  readonly issue: ActionableIssue
  readonly transition: TransitionName | undefined
  readonly author: Author
  readonly checked: CheckedComment
  readonly image: StoredImage | undefined
  readonly commenter: Viewer
  readonly locale: string
  readonly now: Date
  readonly requestId: string
  readonly mayRepeat: boolean
}

async function insertCommentAndEvents(
  tx: Transaction,
  input: WriteInput,
): Promise<{ id: number; isPendingReview: boolean; deliveries: OutboxDelivery[] }> {
  const { issue, transition, checked, image, commenter, locale, now } = input
  const reasons = reviewReasons(input)
  const isPendingReview = reasons.length > 0
  const { comment, video_url, device_id } = checked
  const row = { issue_id: issue.id, commenter_id: commenter.id, comment, video_url, locale, device_id, created_at: now }
  const id = await insertComment(tx, { ...row, moderation_state: isPendingReview ? 'held' : 'passed' })
  const deliveries: OutboxDelivery[] = []
  if (image) {
    const imageId = await addImage(tx, { issue_id: issue.id, comment_id: id, ...image })
    deliveries.push(
      ...(await recordEvent(tx, { type: 'image.added', subject_id: imageId, actor_id: commenter.id, request_id: input.requestId })),
    )
  }
  if (isPendingReview) {
    const held = { issue_id: issue.id, comment_id: id, commenter_id: commenter.id, comment, reasons, transition, now }
    deliveries.push(...(await holdComment(tx, { ...held, request_id: input.requestId })))
  } else {
    const check = transition && checkTransition(transition, issue.status, issue.actor_role)
    const appliedTransition =
      transition && check && 'to' in check ? { name: transition, from: issue.status, to: check.to } : undefined
    deliveries.push(
      ...(await publishComment(tx, {
        issue_id: issue.id,
        comment_id: id,
        commenter_id: commenter.id,
        transition: appliedTransition,
        now,
        request_id: input.requestId,
      })),
    )
  }
  return { id, isPendingReview, deliveries }
}

function reviewReasons({ issue, author, checked, locale, now, mayRepeat }: WriteInput) {
  return findReviewReasons({
    texts: [checked.comment],
    locale,
    authorCreatedAt: new Date(author.created_at),
    now,
    duplicateCount: mayRepeat ? 0 : author.duplicate_count,
    // The organisation does not review comments by its own employees.
    organizationReviewsAll: issue.reviews_all && issue.actor_role !== 'employee',
  })
}
