import type { Transaction } from '../database/database.ts'
import { type OwedEffect, recordEvent } from '../outbox/queries.ts'
import { type StoredPicture, storePicture } from '../media/store-picture.ts'
import { addMedium } from '../media/queries.ts'
import type { Viewer } from '../http/auth/access.ts'
import { type Author, lockAuthor } from '../content-policy/author-queries.ts'
import { type Reason, reasonsToHold } from '../content-policy/policy.ts'
import type { Services } from '../services.ts'
import { pointsFor } from '../users/rules.ts'
import type { CheckedAnswer } from './answers.ts'
import { type AnsweredPicture, type CheckedReport, checkReport } from './check-report.ts'
import { earlierReports, insertIssue, type NewAnswerRow } from './report-queries.ts'
import type { ReportFaults } from './report-fields.ts'

export interface Report {
  /** Fields as JSON or a form gave them, files as `Upload`. Nothing about it needs to have been checked. */
  readonly body: unknown
  /** Faults of fields whose text no database keeps; whoever calls without them has refused such texts. */
  readonly badText?: ReportFaults
  readonly reporter: Viewer
  /** The language that the client asks for; undefined takes the reporter's own. */
  readonly locale: string | undefined
  readonly requestId: string
  /** The transaction in which it is written: `db.transaction`, or `once` of an Idempotency-Key. */
  readonly inTransaction: (work: (tx: Transaction) => Promise<Reported>) => Promise<Reported>
}

/** `held`: a moderator looks at it first. */
export type Reported = { readonly id: number; readonly held: boolean }

type KeptFile = Omit<AnsweredPicture, 'clean'> & { readonly picture: StoredPicture }

/**
 * Makes an issue of a report. Its pictures are cleaned and stored before anything is written; everything else is one transaction: the
 * issue, its answers, its pictures' names, that its reporter follows it, their points, and the events.
 * @throws Problem 422 `{errors: {field: [text]}}` with all faults at once, 503 where pictures cannot be kept now
 */
export async function reportIssue(
  services: Pick<Services, 'db' | 'files' | 'clock' | 'wakeEffects'>,
  { body, badText, reporter, locale, requestId, inTransaction }: Report,
): Promise<Reported> {
  const report = await checkReport(services.db, body, badText)
  const files = await storeAll(services, report.pictures)
  const texts = textsOf(report)
  const now = services.clock()
  let owed: readonly OwedEffect[] = []
  const reported = await inTransaction(async (tx) => {
    const author = await lockAuthor(tx, { id: reporter.id, text: texts.summary + (texts.description ?? ''), now }, earlierReports)
    const language = locale ?? author.locale
    const reasonsToHold = decide(report, texts, author, language, now)
    const id = await insertIssue(tx, {
      summary: texts.summary,
      description: texts.description,
      category: report.type.category,
      ...pick(report),
      request_type_id: report.type.id,
      reporter_id: reporter.id,
      locale: language,
      created_at: now,
      answers: answerRows(report, files),
      reasonsToHold,
      points: report.fields.anonymous ? 0 : pointsFor.report,
    })
    const held = reasonsToHold.length > 0
    owed = await recordAll(tx, id, { files, actor_id: reporter.id, request_id: requestId, held })
    return { id, held }
  })
  services.wakeEffects(owed)
  return reported
}

async function storeAll({ files }: Pick<Services, 'files'>, pictures: readonly AnsweredPicture[]): Promise<KeptFile[]> {
  const kept: KeptFile[] = []
  for (const { clean, ...answered } of pictures) kept.push({ ...answered, picture: await storePicture(files, clean) })
  return kept
}

const pick = ({ fields: { address, point, anonymous, device_id, device_os, device_name } }: CheckedReport) => ({
  ...{ address, point, anonymous, device_id, device_os, device_name },
})

interface Texts {
  readonly summary: string
  readonly description: string | null
  /** Whether the reporter wrote any of the two. */
  readonly areOwn: boolean
}

/** What stands for everybody to read: an answer that is kept private never does, not even as the summary. */
function textsOf({ type, answers }: CheckedReport): Texts {
  const own = (key: string) => {
    const answer = answers.find(({ primary_key, answer_kept_private }) => primary_key === key && !answer_kept_private)
    return answer?.answer ?? null
  }
  const [summary, description] = [own('summary'), own('description')]
  return { summary: summary ?? type.title, description, areOwn: summary !== null || description !== null }
}

function decide(
  report: CheckedReport,
  { summary, description, areOwn }: Texts,
  author: Author,
  locale: string,
  now: Date,
): Reason[] {
  // The public summary and description are among the answers, too; they are looked at once.
  const others = report.answers.filter((answer) => !answer.answer_kept_private && !standsInIssue(answer))
  return reasonsToHold({
    texts: [...(areOwn ? [summary] : []), description ?? '', report.fields.address, ...others.map(({ answer }) => answer)],
    locale,
    authorSince: new Date(author.created_at),
    now,
    // Where the author wrote nothing there is no text that could be the same.
    sameBefore: areOwn ? author.same_before : 0,
    organizationHolds: report.type.holds,
    saidToBeOffensive: report.answers.some(({ primary_key, value }) => primary_key === 'offensive' && value === true),
  })
}

/** The public summary, description and picture stand in the issue itself. A file is kept by its name, for which the answers give its address. */
function answerRows({ answers }: CheckedReport, files: readonly KeptFile[]): NewAnswerRow[] {
  const texts = answers.filter((answer) => !standsInIssue(answer))
  const names = files
    .filter(({ question }) => !standsInIssue(question))
    .map(({ question, position, picture }) => ({
      ...{ ...question, position, answer: picture.full_key, value: { file: picture.full_key } },
    }))
  return [...texts, ...names].map(({ primary_key, question, answer, value, answer_kept_private, position }) => ({
    question_id: /^\d+$/.test(primary_key) ? Number(primary_key) : null,
    ...{ question, answer, value, answer_kept_private, position },
  }))
}

const standsInIssue = ({ primary_key, answer_kept_private }: Pick<CheckedAnswer, 'primary_key' | 'answer_kept_private'>) =>
  ['summary', 'description', 'issue_image'].includes(primary_key) && !answer_kept_private

interface Happened {
  readonly files: readonly KeptFile[]
  readonly actor_id: number
  readonly request_id: string
  readonly held: boolean
}

async function recordAll(tx: Transaction, issue_id: number, { files, held, ...by }: Happened): Promise<OwedEffect[]> {
  const owed = await recordEvent(tx, { type: held ? 'issue.held' : 'issue.reported', subject_id: issue_id, ...by })
  for (const { question, picture } of files) {
    const { answer_kept_private } = question
    const medium = { issue_id, comment_id: null, is_answer: !standsInIssue(question), answer_kept_private, ...picture }
    owed.push(...(await recordEvent(tx, { type: 'medium.added', subject_id: await addMedium(tx, medium), ...by })))
  }
  return owed
}
