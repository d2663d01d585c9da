import { COMMENT_MAX } from '../../comments/new-comment.ts'
import { writeComment } from '../../comments/write-comment.ts'
import { lockAuthorAndCountDuplicates, findReviewReasons } from '../../content-policy/policy.ts'
import { problems, orNotFound } from '../../errors/problems.ts'
import { isBlankText } from '../../http/schema/fields.ts'
import { findViewer } from '../../http/identity/viewer-queries.ts'
import { limitIssueWrites, lockUser } from '../../issue-lifecycle/lock-issue.ts'
import { text } from '../../locales/texts.ts'
import type { ClosingSubject } from '../../mail/unsubscribe-token.ts'
import { recordEvent } from '../../outbox/queries.ts'
import type { Services } from '../../services.ts'
import { pointsFor } from '../../users/rules.ts'
import { earlierReports, insertIssue } from '../report-queries.ts'
import { type AskedClosing, findAskedClosing, findCopiedIssue, recordClosingAnswer } from './queries.ts'

const ANSWER_WITHIN_MS = 14 * 24 * 60 * 60 * 1000

/**
 * Returns whether the user may still answer: until 14 days after the closing, unless the issue was opened again, or the user has reported an
 * archived one again.
 */
export const isAnswerable = ({ is_current, closed_at, status, is_fixed }: AskedClosing, now: Date): boolean =>
  is_current && now.getTime() - Date.parse(closed_at) < ANSWER_WITHIN_MS && !(status === 'Archived' && is_fixed === false)

function requireAnswerable(closing: AskedClosing, now: Date): void {
  if (!isAnswerable(closing, now)) throw problems.invalid({ base: text('closing_not_answerable') })
}

interface ClosingAnswerRequest {
  readonly subject: ClosingSubject
  readonly is_fixed: boolean
  /** Why it is not fixed, with `is_fixed` false. */
  readonly comment: unknown
  readonly requestId: string
}

export interface ClosingAnswerResult {
  /** The issue that was opened again, or a new one about the same problem; null if nothing was opened. */
  readonly opened_issue_id: number | null
  readonly isHeld: boolean
}

/**
 * Records whether a closed issue is fixed. If it is not, the text of the user opens the issue again, or, if it is archived, a new issue that
 * names it.
 * @throws Problem 404 for an unknown closing, 422 `{base}` if it is too late, and those of `writeComment`
 */
export async function answerClosing(
  services: Pick<Services, 'db' | 'files' | 'clock' | 'enqueueDeliveries'>,
  { subject, is_fixed, comment, requestId }: ClosingAnswerRequest,
): Promise<ClosingAnswerResult> {
  const { db, clock } = services
  const now = clock()
  const [closing, commenter] = [await findAskedClosing(db, subject), await findViewer(db, subject.user_id)]
  if (!closing || !commenter) throw problems.notFound('this_address')
  requireAnswerable(closing, now)
  const { issue_id, locale } = closing
  const words = typeof comment === 'string' ? comment.trim() : ''
  if (!is_fixed && (isBlankText(words) || words.length > COMMENT_MAX))
    throw problems.invalid({ comment: text('must_be', { allowed: text('text_between', { min: 1, max: COMMENT_MAX }) }) })
  const answer = { ...subject, issue_id, is_fixed, now }
  const { transaction } = limitIssueWrites(db, issue_id)
  if (is_fixed) {
    await transaction(async (tx) => {
      await lockUser(tx, subject.user_id)
      await recordClosingAnswer(tx, answer)
    })
    return { opened_issue_id: null, isHeld: false }
  }
  if (closing.status === 'Archived') return reportAgain(services, { ...answer, words, locale, requestId })
  const { isHeld } = await writeComment(services, {
    ...{ issueId: issue_id, transition: 'open', body: { comment: words }, commenter, locale, requestId },
    changes: {
      transaction: (work) =>
        transaction(async (tx) => {
          const result = await work(tx)
          await recordClosingAnswer(tx, answer)
          return result
        }),
    },
  })
  return { opened_issue_id: issue_id, isHeld }
}

interface NewReport extends ClosingSubject {
  readonly issue_id: number
  readonly is_fixed: boolean
  readonly now: Date
  readonly words: string
  readonly locale: string
  readonly requestId: string
}

async function reportAgain(
  { db }: Pick<Services, 'db'>,
  { words, locale, requestId, ...answer }: NewReport,
): Promise<ClosingAnswerResult> {
  const { issue_id, user_id, now } = answer
  return db.transaction(async (tx) => {
    const author = await lockAuthorAndCountDuplicates(tx, { id: user_id, text: words, now }, earlierReports)
    // A second click of the same link must not report again.
    const closing = await findAskedClosing(tx, answer)
    if (closing) requireAnswerable(closing, now)
    const former = orNotFound(await findCopiedIssue(tx, issue_id), 'the_issue')
    const { lng, lat, address, reviews_all, ...copied } = former
    const reviewReasons = findReviewReasons({
      texts: [words],
      locale,
      authorCreatedAt: new Date(author.created_at),
      now,
      duplicateCount: author.duplicate_count,
      organizationReviewsAll: reviews_all,
    })
    const isHeld = reviewReasons.length > 0
    const id = await insertIssue(tx, {
      ...copied,
      description: words,
      point: { lng, lat },
      address: address ?? '',
      reporter_id: user_id,
      anonymous: false,
      locale,
      created_at: now,
      device_id: null,
      device_os: null,
      device_name: null,
      source: 'web',
      answers: [],
      reviewReasons,
      points: pointsFor.report,
    })
    await tx.prisma.issue.update({ where: { id }, data: { previous_issue_id: issue_id }, select: { id: true } })
    await recordEvent(tx, {
      type: isHeld ? 'issue.held' : 'issue.reported',
      subject_id: id,
      actor_id: user_id,
      request_id: requestId,
    })
    await recordClosingAnswer(tx, answer)
    return { opened_issue_id: id, isHeld }
  })
}
