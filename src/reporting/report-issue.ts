import Type from 'typebox'

import { type Language, languageOf } from '../locales/texts.ts'
import { type Transaction, sql, Count, lockName } from '../database/database.ts'
import { recordEvent } from '../outbox/queries.ts'
import { type StoredImage, storeImage } from '../media/store-image.ts'
import { addImage } from '../media/queries.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import {
  type Author,
  lockAuthorAndCountDuplicates,
  type Reason,
  findReviewReasons,
  DUPLICATE_WINDOW_S,
} from '../content-policy/policy.ts'
import type { Services } from '../services.ts'
import type { IssueSource } from '../issues/schema.ts'
import { translateType } from '../request-types/present.ts'
import { pointsFor } from '../users/rules.ts'
import type { CheckedAnswer } from './answers.ts'
import { type ImageAnswer, type CheckedReport, checkReport } from './check-report.ts'
import { earlierReports, insertIssue, type NewAnswerRow } from './report-queries.ts'
import type { FieldErrors } from './report-schema.ts'

const LOCK = 'fixpoint guest reports'

const CountRow = Type.Object({ duplicate_count: Count })

/** Locks reports of guests and counts the same texts of all guests in the last hour. A guest has the rights of a new account. */
async function lockGuests(tx: Transaction, { text, now }: { readonly text: string; readonly now: Date }): Promise<Author> {
  await lockName(tx, LOCK)
  const [row] = await tx.query(sql.type(CountRow)`
    SELECT count(*)::integer AS duplicate_count FROM issues i
    WHERE i.reporter_id IS NULL AND i.imported_at IS NULL
      AND i.created_at > ${now.toISOString()}::timestamptz - make_interval(secs => ${DUPLICATE_WINDOW_S})
      AND comparable_text(concat(i.summary, i.description)) = comparable_text(${text})`)
  return { created_at: now.toISOString(), locale: 'en', duplicate_count: row?.duplicate_count ?? 0 }
}

interface ReportRequest {
  /** The unchecked fields from JSON or a form, with files as `Upload`. */
  readonly body: unknown
  /** Errors of fields whose text PostgreSQL cannot store. Without them, the caller has already rejected such texts. */
  readonly inputErrors?: FieldErrors
  /** Null for a guest, whose report has no account. */
  readonly reporter: Pick<Viewer, 'id'> | null
  /** The employee who enters the report of a guest. Several callers may say the same, so a repeated text is no reason for a review. */
  readonly enteredBy?: Pick<Viewer, 'id'> | undefined
  /** Answers that belong to no question of the request type, with their position after all others. */
  readonly furtherAnswers?: readonly FurtherAnswer[]
  /** The language that the client requests; undefined for the reporter's own, or English for a guest. */
  readonly locale: string | undefined
  readonly source: IssueSource
  readonly requestId: string
  /** The transaction for all rows: `db.transaction`, or the one that stores the response under an Idempotency-Key. */
  readonly inTransaction: (work: (tx: Transaction) => Promise<ReportResult>) => Promise<ReportResult>
  /** Runs in the transaction, after the rows of the report. */
  readonly onReported?: (tx: Transaction, result: ReportResult) => Promise<void>
}

/** The value is the answer, unless it is set. */
export type FurtherAnswer = Pick<NewAnswerRow, 'question' | 'answer' | 'answer_kept_private' | 'is_contact'> & {
  readonly value?: Readonly<Record<string, string>>
}

export type ReportResult = { readonly id: number; readonly isHeld: boolean }

/** Higher than the position of any question. */
const FURTHER_POSITION = 1_000

type StoredAnswerImage = Omit<ImageAnswer, 'clean'> & { readonly image: StoredImage }

/**
 * Stores the files of the images first, then writes all rows in one transaction.
 * @throws Problem 422 `{errors: {field: [text]}}` with all errors, 503 if images cannot be stored now
 */
export async function reportIssue(
  services: Pick<Services, 'db' | 'files' | 'clock'>,
  request: ReportRequest,
): Promise<ReportResult> {
  const { body, inputErrors = {}, reporter, enteredBy, locale, source, requestId, inTransaction } = request
  const report = await checkReport(services.db, body, { inputErrors })
  const images = await storeImages(services, report.images)
  const language = locale ?? (await findLocale(services, reporter)) ?? 'en'
  const texts = publicTexts(report, languageOf(language))
  const now = services.clock()
  return inTransaction(async (tx) => {
    const checked = { text: texts.summary + (texts.description ?? ''), now }
    const author = enteredBy
      ? { ...(await lockReporter(tx, enteredBy, checked)), duplicate_count: 0 }
      : await lockReporter(tx, reporter, checked)
    const reviewReasons = findReportReviewReasons(report, texts, author, language, now)
    const id = await insertIssue(tx, {
      summary: texts.summary,
      description: texts.description,
      category: report.type.category,
      ...issueColumns(report),
      request_type_id: report.type.id,
      reporter_id: reporter?.id ?? null,
      anonymous: report.fields.anonymous || reporter === null,
      locale: language,
      source,
      created_at: now,
      answers: [...toAnswerRows(report, images), ...toFurtherRows(request)],
      reviewReasons,
      points: report.fields.anonymous ? 0 : pointsFor.report,
    })
    const isHeld = reviewReasons.length > 0
    const result = { id, isHeld }
    await recordEvents(tx, id, { images, actor_id: reporter?.id ?? null, request_id: requestId, isHeld })
    await request.onReported?.(tx, result)
    return result
  })
}

async function findLocale({ db }: Pick<Services, 'db'>, reporter: ReportRequest['reporter']): Promise<string | undefined> {
  const user = reporter && (await db.prisma.user.findUnique({ where: { id: reporter.id }, select: { locale: true } }))
  return user?.locale
}

function lockReporter(
  tx: Transaction,
  reporter: Pick<Viewer, 'id'> | null,
  report: { readonly text: string; readonly now: Date },
): Promise<Author> {
  return reporter ? lockAuthorAndCountDuplicates(tx, { id: reporter.id, ...report }, earlierReports) : lockGuests(tx, report)
}

async function storeImages({ files }: Pick<Services, 'files'>, images: readonly ImageAnswer[]): Promise<StoredAnswerImage[]> {
  const stored: StoredAnswerImage[] = []
  for (const { clean, ...answer } of images) stored.push({ ...answer, image: await storeImage(files, clean) })
  return stored
}

const issueColumns = ({ fields: { address, point, device_id, device_os, device_name } }: CheckedReport) => ({
  address,
  point,
  device_id,
  device_os,
  device_name,
})

interface PublicTexts {
  readonly summary: string
  readonly description: string | null
  readonly hasOwnText: boolean
}

/** Returns the public texts of the issue. Without a summary it is the title of the type in the language of the issue. A private answer is never used, not even as the summary. */
function publicTexts({ type, answers }: CheckedReport, language: Language): PublicTexts {
  const publicAnswer = (key: string) => {
    const answer = answers.find(({ primary_key, answer_kept_private }) => primary_key === key && !answer_kept_private)
    return answer?.answer ?? null
  }
  const [summary, description] = [publicAnswer('summary'), publicAnswer('description')]
  const title = translateType(type, language).title
  return { summary: summary ?? title, description, hasOwnText: summary !== null || description !== null }
}

function findReportReviewReasons(
  report: CheckedReport,
  { summary, description, hasOwnText }: PublicTexts,
  author: Author,
  locale: string,
  now: Date,
): Reason[] {
  // The public summary and description are also answers, but each text must be checked once.
  const others = report.answers.filter((answer) => !answer.answer_kept_private && !isIssueField(answer))
  return findReviewReasons({
    texts: [...(hasOwnText ? [summary] : []), description ?? '', report.fields.address, ...others.map(({ answer }) => answer)],
    locale,
    authorCreatedAt: new Date(author.created_at),
    now,
    // Without a text of the author there is nothing that could be repeated.
    duplicateCount: hasOwnText ? author.duplicate_count : 0,
    organizationReviewsAll: report.type.reviews_all,
    isMarkedOffensive: report.answers.some(({ primary_key, value }) => primary_key === 'offensive' && value === true),
  })
}

/** Public summary, description and image are part of the issue itself. A file is stored as its key, and responses show its URL. */
function toAnswerRows({ answers }: CheckedReport, images: readonly StoredAnswerImage[]): NewAnswerRow[] {
  const texts = answers.filter((answer) => !isIssueField(answer))
  const fileAnswers = images
    .filter(({ question }) => !isIssueField(question))
    .map(({ question, position, image }) => ({
      ...question,
      position,
      answer: image.full_key,
      value: { file: image.full_key },
    }))
  return [...texts, ...fileAnswers].map(({ primary_key, question, answer, value, answer_kept_private, position }) => ({
    primary_key,
    question,
    answer,
    value,
    answer_kept_private,
    position,
  }))
}

const toFurtherRows = ({ furtherAnswers = [] }: ReportRequest): NewAnswerRow[] =>
  furtherAnswers.map((further, index) => ({
    value: further.answer,
    ...further,
    primary_key: null,
    position: FURTHER_POSITION + index,
  }))

const isIssueField = ({ primary_key, answer_kept_private }: Pick<CheckedAnswer, 'primary_key' | 'answer_kept_private'>) =>
  ['summary', 'description', 'issue_image'].includes(primary_key) && !answer_kept_private

interface EventDetails {
  readonly images: readonly StoredAnswerImage[]
  readonly actor_id: number | null
  readonly request_id: string
  readonly isHeld: boolean
}

async function recordEvents(tx: Transaction, issue_id: number, { images, isHeld, ...eventFields }: EventDetails): Promise<void> {
  await recordEvent(tx, {
    type: isHeld ? 'issue.held' : 'issue.reported',
    subject_id: issue_id,
    ...eventFields,
  })
  for (const { question, image } of images) {
    const { answer_kept_private } = question
    const newImage = { issue_id, comment_id: null, is_answer: !isIssueField(question), answer_kept_private, ...image }
    await recordEvent(tx, { type: 'image.added', subject_id: await addImage(tx, newImage), ...eventFields })
  }
}
