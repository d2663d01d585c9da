import type { FastifyRequest } from 'fastify'
import { text, type Text } from '../locales/texts.ts'
import type { Database, Queryable, Transaction } from '../database/database.ts'
import { type OutboxDelivery, recordEvent } from '../outbox/queries.ts'
import { type CleanImage, cleanUpload, type StoredImage, storeImage } from '../media/store-image.ts'
import { addImage } from '../media/queries.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { idempotent } from '../http/idempotency/idempotency.ts'
import { problems, type ValidationErrors } from '../errors/problems.ts'
import {
  type ActionableIssue,
  findActionableIssue,
  type IssueWrites,
  limitIssueWrites,
  lockIssue,
} from '../issue-lifecycle/lock-issue.ts'
import { checkTransition, refusalMessage, type TransitionName } from '../issue-lifecycle/transitions.ts'
import { type Closing, closingBy, type Status } from '../issue-lifecycle/status.ts'
import { type Author, findAuthorAndCountDuplicates, findReviewReasons } from '../content-policy/policy.ts'
import type { Services } from '../services.ts'
import { checkClosing, YOUTUBE_ALLOWED } from './new-comment.ts'
import { holdComment, publishComment, publishLocked, earlierComments } from './publish-comment.ts'
import { ImageRefused } from '../images/image.ts'
import { Upload } from '../http/request/upload.ts'
import { parseVideoUrl } from './youtube.ts'

interface CommentRequest {
  readonly issueId: number
  readonly transition?: TransitionName | undefined
  readonly body: unknown
  readonly inputErrors?: ValidationErrors | undefined
  readonly commenter: Viewer
  /** An employee must give an outcome to close the issue. */
  readonly requiresOutcome?: boolean
  readonly locale: string | undefined
  readonly requestId: string
  /** The text is not held for review because the author has written the same one before. */
  readonly mayRepeat?: boolean
  readonly changes: CommentChanges
}

export interface CommentChanges {
  /** Runs the transaction: `db.transaction`, or `idempotent` for an Idempotency-Key. */
  readonly transaction: (work: (tx: Transaction) => Promise<CommentResult>) => Promise<CommentResult>
  /** It is present if nothing else is written in the transaction: most comments are then one statement. */
  readonly retryWithoutTransaction?: IssueWrites['retryWithoutTransaction']
}

/** The changes of a request that writes nothing but the comment and the result under its Idempotency-Key. */
export function commentChanges(
  request: Pick<FastifyRequest, 'idempotency'>,
  db: Pick<Database, 'transaction' | 'query'>,
  issueId: number,
): CommentChanges {
  const writes = limitIssueWrites(db, issueId)
  return request.idempotency ? { transaction: (work) => idempotent(request, writes, work) } : writes
}

/** `status` and `rating` are those of the issue in the transaction; a concurrent request may have changed them since. */
export type CommentResult = {
  readonly id: number
  readonly isHeld: boolean
  readonly status: Status
  readonly rating: number
}

/** Attempts that fail if the author has changed since the text was checked. Afterwards the author and the issue are locked first. */
const OPTIMISTIC_ATTEMPTS = 2

/**
 * The image is stored first; everything else is one statement or one transaction. The first of several concurrent transitions succeeds.
 * @throws Problem 404; 403 if the transition requires an employee; 422 with all validation errors, under `base` if the current
 * status does not allow the transition; 503 if the image cannot be stored now
 */
export async function writeComment(
  services: Pick<Services, 'db' | 'files' | 'clock' | 'enqueueDeliveries'>,
  request: CommentRequest,
): Promise<CommentResult> {
  const { issueId, transition, body, inputErrors = {}, commenter, requiresOutcome, changes } = request
  const { db, files, clock, enqueueDeliveries } = services
  const now = clock()
  const issue = await findActionableIssue(db, issueId, commenter)
  const role = issue.actor_role
  const { closing, errors } = await checkClosing(db, { issueId, transition, body, requiresOutcome, role, inputErrors })
  const checked = await checkComment(body, { ...errors, ...inputErrors, ...findTransitionError(issue, transition) })
  const image = checked.image && (await storeImage(files, checked.image))
  const written = image
    ? undefined
    : await changes.retryWithoutTransaction?.((queryable) =>
        writeOptimistically(queryable, { ...request, issue, checked, closing, now }),
      )
  if (!written) return changes.transaction((tx) => writeLocked(tx, { ...request, checked, closing, now }, image))
  const { deliveries, ...result } = written
  enqueueDeliveries(deliveries)
  return result
}

interface WriteInput extends Omit<CommentRequest, 'changes'> {
  readonly checked: CheckedComment
  readonly closing: Closing | undefined
  readonly now: Date
}

/** Publishes a comment that needs no review. Returns undefined if it needs one, or if the author or the issue changes meanwhile. */
async function writeOptimistically(
  db: Queryable,
  input: WriteInput & { readonly issue: ActionableIssue },
): Promise<(CommentResult & { readonly deliveries: readonly OutboxDelivery[] }) | undefined> {
  const { issue, commenter, checked, now } = input
  for (let attempt = 1; attempt <= OPTIMISTIC_ATTEMPTS; attempt++) {
    const author = await findAuthorAndCountDuplicates(db, { id: commenter.id, text: checked.comment, now }, earlierComments)
    if (findReasons(input, issue, author).length > 0) return undefined
    const published = await publishComment(db, { ...toPublication(input, issue, author), authorRevision: author.revision })
    if (published) return { ...published, isHeld: false }
  }
  return undefined
}

async function writeLocked(tx: Transaction, input: WriteInput, image: StoredImage | undefined): Promise<CommentResult> {
  const { issueId, transition, commenter, checked, requestId, now } = input
  const issue = await lockIssue(tx, issueId, commenter)
  const transitionError = findTransitionError(issue, transition)
  if (transitionError) throw problems.invalid(transitionError)
  const author = await findAuthorAndCountDuplicates(tx, { id: commenter.id, text: checked.comment, now }, earlierComments)
  const reasons = findReasons(input, issue, author)
  const publication = toPublication(input, issue, author)
  const isHeld = reasons.length > 0
  const written = isHeld
    ? {
        id: await holdComment(tx, { row: publication.comment, reasons, transition, closing: input.closing, request_id: requestId }),
        ...pick(issue),
      }
    : await publishLocked(tx, publication)
  if (image) {
    const subject_id = await addImage(tx, { issue_id: issueId, comment_id: written.id, ...image })
    await recordEvent(tx, { type: 'image.added', subject_id, actor_id: commenter.id, request_id: requestId })
  }
  return { ...written, isHeld }
}

const pick = ({ status, rating }: ActionableIssue) => ({ status, rating })

function toPublication(
  { transition, commenter, checked, closing, locale, now, requestId }: WriteInput,
  issue: ActionableIssue,
  author: Author,
) {
  const { comment, video_url, device_id } = checked
  const check = transition && checkTransition(transition, issue.status, issue.actor_role)
  return {
    issue_id: issue.id,
    comment: {
      issue_id: issue.id,
      commenter_id: commenter.id,
      comment,
      video_url,
      locale: locale ?? author.locale,
      device_id,
      created_at: now,
    },
    commenter_id: commenter.id,
    transition:
      transition && check && 'to' in check
        ? {
            name: transition,
            from: issue.status,
            to: check.to,
            closing: closing && closingBy(issue.actor_role === 'employee', closing),
          }
        : undefined,
    now,
    request_id: requestId,
  }
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

function findReasons({ checked, closing, locale, now, mayRepeat = false }: WriteInput, issue: ActionableIssue, author: Author) {
  return findReviewReasons({
    texts: [checked.comment, closing?.passed_on_to ?? ''],
    locale: locale ?? author.locale,
    authorCreatedAt: new Date(author.created_at),
    now,
    duplicateCount: mayRepeat ? 0 : author.duplicate_count,
    // The organisation does not review comments by its own employees.
    organizationReviewsAll: issue.reviews_all && issue.actor_role !== 'employee',
  })
}

interface CheckedComment {
  readonly comment: string
  readonly video_url: string | null
  readonly device_id: string | null
  readonly image: CleanImage | undefined
}

/**
 * The image is re-encoded, because only decoding shows whether it is valid. The body may have failed the schema.
 * A comment with another error costs no decoding.
 * @throws Problem 422 with all errors of the fields as a flat map, or else with that of the image; 429 or 503 as `cleanUpload` does
 */
async function checkComment(body: unknown, knownErrors: ValidationErrors): Promise<CheckedComment> {
  const { comment, youtube_url, image, device_id } = (typeof body === 'object' && body !== null ? body : {}) as CommentInput
  const link = typeof youtube_url === 'string' && youtube_url.trim() !== '' ? youtube_url : null
  const video_url = link === null ? null : parseVideoUrl(link)
  const errors = {
    ...(video_url === undefined ? { youtube_url: text('must_be', { allowed: YOUTUBE_ALLOWED }) } : {}),
    ...knownErrors,
  }
  if (Object.keys(errors).length > 0 || typeof comment !== 'string' || video_url === undefined) throw problems.invalid(errors)
  const cleaned = image instanceof Upload ? await cleanImage(image) : {}
  if (cleaned.error !== undefined) throw problems.invalid({ image: cleaned.error })
  return {
    comment: comment.trim(),
    video_url,
    device_id: typeof device_id === 'string' && device_id !== '' ? device_id : null,
    image: cleaned.image,
  }
}

type CommentInput = Readonly<Partial<Record<'comment' | 'youtube_url' | 'image' | 'device_id', unknown>>>

async function cleanImage(upload: Upload): Promise<{ image?: CleanImage; error?: Text }> {
  try {
    return { image: await cleanUpload(upload) }
  } catch (error) {
    if (error instanceof ImageRefused) return { error: error.reason }
    throw error
  }
}
