import type { FastifyRequest } from 'fastify'
import { text, textsIn, type Language, languageOf } from '../../locales/texts.ts'
import { type CommentChanges, commentChanges, type CommentResult, writeComment } from '../../comments/write-comment.ts'
import type { Transaction, PrismaHandle } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { DESCRIPTION_MAX } from '../../georeport/geo-report.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { idempotent } from '../../http/idempotency/idempotency.ts'
import { preferredLocale } from '../../http/errors/text-language.ts'
import { isBlankText, readTimestamp } from '../../http/schema/fields.ts'
import { findActionableIssue, limitIssueWrites, lockIssue } from '../../issue-lifecycle/lock-issue.ts'
import type { TransitionName } from '../../issue-lifecycle/transitions.ts'
import type { Status } from '../../issue-lifecycle/status.ts'
import type { Services } from '../../services.ts'
import { requireKey } from '../credentials/write-credentials.ts'
import { type Body, readBody, invalidParameter, isId, mustBe } from '../input/body.ts'
import { findJurisdiction } from '../input/jurisdiction.ts'
import { withFieldNames, findMediaUrlError } from '../reports/to-report.ts'
import { knownStates, readState, type UpdateStatus } from '../../georeport/parse-response.ts'

const ID_MAX = 200
/** FixMyStreet repeats `media_url` for several pictures. */
const media = { repeatable: ['media_url'], files: 'media' }
const commentFields = { description: DESCRIPTION_MAX, media_url: 2_000, device_id: 255 }
const updateFields = { ...commentFields, update_id: ID_MAX, service_request_id: 20, status: 100, updated_datetime: 40 }

/** Adds a comment, a picture or both to a public service request. @throws Problem 403 without a key, 404, 422 */
export async function writeRequestComment(services: Services, request: FastifyRequest, id: string): Promise<CommentResult> {
  const commenter = requireKey(request)
  const body = readBody(request, { max: commentFields, ...media })
  const { language } = await findIssue(services, request, body, id)
  if (isBlankText(body.fields.get('description') ?? '') && body.files.length === 0)
    throw invalidParameter('description', text('is_blank'))
  const write = toWrite(services, request, body, textsIn(language)('commentNotice.picture'))
  return write({
    issueId: Number(id),
    commenter,
    transition: undefined,
    changes: commentChanges(request, services.db, Number(id)),
  })
}

/**
 * Writes an update as the comment of an employee of the organisation. An update with an id that the service request has already changes nothing.
 * @throws Problem 403 for other callers, 404, 422, also for a transition that is not allowed
 */
export async function writeUpdate(services: Services, request: FastifyRequest): Promise<CommentResult> {
  const { db } = services
  const commenter = requireKey(request)
  const body = readBody(request, { max: updateFields, ...media })
  const { fields } = body
  for (const name of ['service_request_id', 'update_id']) if (!fields.has(name)) throw invalidParameter(name, text('is_blank'))
  const [id = '', updateId = ''] = [fields.get('service_request_id'), fields.get('update_id')]
  const { language } = await findIssue(services, request, body, id)
  const issue = await findActionableIssue(db, Number(id), commenter)
  if (issue.actor_role !== 'employee') throw problems.notPermitted(text('employees_only'))
  const findReceived = async () => {
    const received = await findReceivedUpdate(db, issue.id, updateId)
    return received && { ...received, status: issue.status, rating: issue.rating }
  }
  const received = await findReceived()
  if (received) return received
  checkTime(fields.get('updated_datetime'))
  const state = fields.get('status')
  const target = state === undefined ? undefined : readTarget(state)
  const transition = target && findTransition(target, issue.status)
  const standard = textsIn(language)(`standardUpdate.${transition ? newStatuses[transition] : 'unchanged'}`)
  const write = toWrite(services, request, body, standard)
  return write({
    issueId: issue.id,
    commenter,
    transition,
    // Other systems have standard texts, such as "The report is closed."
    mayRepeat: true,
    changes: {
      transaction: (work) =>
        idempotent(request, limitIssueWrites(db, issue.id), (tx) => writeOnce(tx, { updateId, issue, commenter }, work)),
    },
  }).catch(async (error: unknown) => {
    // The same update may have been written meanwhile, after which its transition is not allowed any more.
    const written = await findReceived()
    if (written) return written
    throw error
  })
}

const newStatuses = { open: 'Open', acknowledge: 'Acknowledged', close: 'Closed' } as const

interface OnceOptions {
  readonly updateId: string
  readonly issue: Pick<CommentResult, 'id' | 'status' | 'rating'>
  readonly commenter: Viewer
}

async function writeOnce(
  tx: Transaction,
  { updateId, issue: { id, status, rating }, commenter }: OnceOptions,
  work: (tx: Transaction) => Promise<CommentResult>,
): Promise<CommentResult> {
  // The lock lets only one of several requests with the same update write it.
  await lockIssue(tx, id, commenter)
  const received = await findReceivedUpdate(tx, id, updateId)
  if (received) return { ...received, status, rating }
  const written = await work(tx)
  await addReceivedUpdate(tx, id, updateId, written.id)
  return written
}

/** @throws Problem 404 unless the issue is public and belongs to the organisation of the address */
async function findIssue({ db }: Services, request: FastifyRequest, { fields }: Body, id: string): Promise<UpdatedIssue> {
  const jurisdiction = await findJurisdiction(db.reader, request, fields)
  const issue = isId(id) ? await findUpdatedIssue(db, Number(id)) : undefined
  if (!issue || (jurisdiction && issue.organizationId !== jurisdiction.id)) throw problems.notFound('the_service_request')
  return issue
}

interface CommentTarget {
  readonly issueId: number
  readonly commenter: Viewer
  readonly transition: TransitionName | undefined
  readonly mayRepeat?: boolean
  readonly changes: CommentChanges
}

function toWrite(services: Services, request: FastifyRequest, { fields, files }: Body, standard: string) {
  const mediaUrl = fields.get('media_url')
  const mediaUrlError = mediaUrl === undefined ? undefined : findMediaUrlError(mediaUrl, services.config.mediaUrlHosts)
  if (mediaUrlError) throw invalidParameter('media_url', mediaUrlError)
  const [image, ...others] = files
  if (others.length > 0) throw invalidParameter('media', text('given_repeatedly'))
  const description = fields.get('description') ?? ''
  const comment = [isBlankText(description) ? standard : description, mediaUrl].filter(Boolean).join('\n\n')
  return (target: CommentTarget) =>
    withFieldNames(() =>
      writeComment(services, {
        ...target,
        body: { comment, image, device_id: fields.get('device_id') },
        locale: preferredLocale(request),
        requestId: request.id,
      }),
    )
}

/**
 * The update has the time at which it arrives, because earlier digests and mails would otherwise miss it. Its status counts in the order of
 * arrival, too: clocks differ, and changes that wait at the sender arrive together.
 */
function checkTime(value: string | undefined): void {
  if (value !== undefined && readTimestamp(value) === undefined) throw mustBe('updated_datetime', text('timestamp_in_address'))
}

/** @throws Problem 422 for an unknown state */
function readTarget(state: string): UpdateStatus {
  const target = readState(state)
  if (!target) throw mustBe('status', text('one_of', { values: knownStates.join(', ') }))
  return target
}

const transitionNames: Readonly<Record<UpdateStatus, TransitionName>> = {
  Open: 'open',
  Acknowledged: 'acknowledge',
  Closed: 'close',
}

/**
 * Returns the transition that an update asks for, or undefined if the issue has this state already. `open` leaves an acknowledged issue as it
 * is, because senders without other states call it open, and `closed` an archived one. The transition may not be allowed.
 */
function findTransition(target: UpdateStatus, status: Status): TransitionName | undefined {
  const isReached =
    target === status || (target === 'Open' && status === 'Acknowledged') || (target === 'Closed' && status === 'Archived')
  return isReached ? undefined : transitionNames[target]
}

interface UpdatedIssue {
  readonly organizationId: number | null
  readonly language: Language
}

/** Returns the organisation and the language of a public issue. */
async function findUpdatedIssue(db: PrismaHandle, id: number): Promise<UpdatedIssue | undefined> {
  const issue = await db.prisma.issue.findUnique({
    where: { id, moderation_state: 'passed' },
    select: { locale: true, request_type: { select: { organization_id: true } } },
  })
  return issue ? { organizationId: issue.request_type?.organization_id ?? null, language: languageOf(issue.locale) } : undefined
}

/** Returns the comment of an update that was received before. A rejected one is not public, so it counts as held. */
async function findReceivedUpdate(db: PrismaHandle, issue_id: number, update_id: string) {
  const received = await db.prisma.serviceRequestUpdate.findUnique({
    where: { issue_id_update_id: { issue_id, update_id } },
    select: { comment: { select: { id: true, moderation_state: true } } },
  })
  return received && { id: received.comment.id, isHeld: received.comment.moderation_state !== 'passed' }
}

async function addReceivedUpdate(tx: Transaction, issueId: number, updateId: string, commentId: number): Promise<void> {
  await tx.prisma.serviceRequestUpdate.create({ data: { issue_id: issueId, update_id: updateId, comment_id: commentId } })
}
