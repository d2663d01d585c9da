import Type, { type Static } from 'typebox'

import type { Reason } from '../content-policy/policy.ts'
import { Id, IdRow, join, nullable, type Queryable, raw, sql, type Transaction, type Database } from '../database/database.ts'
import { isInStoredArea } from '../geo/area.ts'
import { type Point, toGeometry } from '../geo/shapes.ts'
import type { IssueSource } from '../issues/schema.ts'
import { countMail } from '../mail/limit-queries.ts'
import { CANCELLED_REPLY } from '../mail/rules.ts'
import { recordMailEvent } from '../outbox/queries.ts'
import { typeTextColumns, typeTexts } from '../request-types/present.ts'
import { QuestionRow, questionsColumn } from '../request-types/queries.ts'
import type { RequestTypeQuestion } from '../request-types/schema.ts'

const ReportType = Type.Object({
  /** It is null for `other`. */
  id: nullable(Id),
  ...typeTexts,
  category: Type.String(),
  questions: Type.Array(QuestionRow),
  reviews_all: Type.Boolean(),
  covers_point: Type.Boolean(),
})
export type ReportType = Omit<Static<typeof ReportType>, 'questions'> & { readonly questions: readonly RequestTypeQuestion[] }

/** Without a point, `covers_point` is true. A community type covers every point, and an area includes its edges. */
export async function findReportType(db: Queryable, id: number, point: Point | undefined): Promise<ReportType | undefined> {
  const covers_point = point ? sql`(o.id IS NULL OR ${isInStoredArea('organization', sql`o.id`, toGeometry(point))})` : sql`TRUE`
  return db.query(sql.first(ReportType)`
    SELECT rt.id, ${typeTextColumns}, rt.category, coalesce(o.hold_everything, false) AS reviews_all, ${covers_point} AS covers_point, ${questionsColumn(sql`rt`)}
    FROM request_types rt
    LEFT JOIN organizations o ON o.id = rt.organization_id
    WHERE rt.id = ${id} AND rt.active`)
}

/** The reports of user `u` as `lockAuthorAndCountDuplicates` needs them. */
export const earlierReports = sql`
  SELECT i.created_at, concat(i.summary, i.description) AS text FROM issues i WHERE i.reporter_id = u.id`

interface NewIssueRow {
  readonly summary: string
  readonly description: string | null
  readonly category: string
  readonly point: Point
  readonly address: string
  readonly request_type_id: number | null
  /** It is null for a guest. */
  readonly reporter_id: number | null
  readonly anonymous: boolean
  readonly locale: string
  readonly created_at: Date
  readonly device_id: string | null
  readonly device_os: string | null
  readonly device_name: string | null
  readonly source: IssueSource
  readonly answers: readonly NewAnswerRow[]
  /** The list is empty for a public report. */
  readonly reviewReasons: readonly Reason[]
  readonly points: number
}

export interface NewAnswerRow {
  /** The id of the question or the name of a built-in one; null for an answer without a question. */
  readonly primary_key: string | null
  readonly question: string
  readonly answer: string
  readonly value: unknown
  readonly answer_kept_private: boolean
  readonly position: number
  /** Contact data of the reporter, which is deleted after a time. */
  readonly is_contact?: boolean
}

/** Returns the id. A held issue gets its follow and points on approval, because no public number may reveal it before. */
export async function insertIssue(tx: Transaction, issue: NewIssueRow): Promise<number> {
  const isPublic = issue.reviewReasons.length === 0
  const timestamp = issue.created_at.toISOString()
  const inserted = await tx.query(sql.one(IdRow)`
    WITH issue AS (
      INSERT INTO issues (summary, description, category, lng, lat, address, request_type_id, reporter_id, anonymous, locale,
        moderation_state, device_id, device_os, device_name, source, created_at, updated_at)
      VALUES (${issue.summary}, ${issue.description}, ${issue.category}, ${issue.point.lng}, ${issue.point.lat}, ${issue.address},
        ${issue.request_type_id}, ${issue.reporter_id}, ${issue.anonymous}, ${issue.locale}, ${isPublic ? 'passed' : 'held'},
        ${issue.device_id}, ${issue.device_os}, ${issue.device_name}, ${issue.source}, ${timestamp}::timestamptz, ${timestamp}::timestamptz)
      RETURNING issues.id),
    history AS (
      INSERT INTO status_changes (issue_id, actor_id, from_status, to_status, created_at)
      SELECT n.id, ${issue.reporter_id}::integer, NULL, 'Open', ${timestamp}::timestamptz FROM issue n),
    answers AS (
      INSERT INTO issue_answers (issue_id, question_id, question, answer, value, answer_kept_private, position, is_contact)
      SELECT n.id,
        (SELECT q.id FROM request_type_questions q
          WHERE q.request_type_id = ${issue.request_type_id} AND coalesce(q.built_in::text, q.id::text) = a.primary_key),
        a.question, a.answer, a.value, a.answer_kept_private, a.position, coalesce(a.is_contact, false)
      FROM issue n CROSS JOIN jsonb_to_recordset(${JSON.stringify(issue.answers)}::jsonb)
        AS a (primary_key text, question text, answer text, value jsonb, answer_kept_private boolean, position integer, is_contact boolean)
      WHERE ${issue.answers.length > 0}),
    follow AS (
      INSERT INTO follows (issue_id, user_id, created_at)
      SELECT n.id, ${issue.reporter_id}::integer, ${timestamp}::timestamptz FROM issue n WHERE ${isPublic && issue.reporter_id !== null}),
    review AS (
      INSERT INTO moderation_items (subject_type, subject_id, reasons, original, created_at)
      SELECT 'issue', n.id, ${[...issue.reviewReasons]}::text[],
        ${JSON.stringify({ summary: issue.summary, description: issue.description, address: issue.address })}::jsonb, ${timestamp}::timestamptz
      FROM issue n WHERE NOT ${isPublic}),
    points AS (
      UPDATE users u SET civic_points = u.civic_points + ${issue.points}
      WHERE u.id = ${issue.reporter_id}::integer AND ${isPublic && issue.points > 0})
    SELECT n.id FROM issue n`)
  return inserted.id
}

/** The first mail, after changes, and to another address after a mistake. */
const MAILS_PER_DRAFT = 5

interface Recipient {
  readonly email: string
  readonly locale: string
}

/**
 * Requests a mail with a link that publishes a draft, and keeps the draft until `expires_at`. Accounts are not read, and a mail above the limit of its address is dropped silently, so the
 * result and its timing reveal nothing about an address. Returns false if the draft has had its last mail or is gone.
 */
export async function requestDraftMail(
  tx: Transaction,
  { draftId, expires_at, ...to }: Recipient & { readonly draftId: number; readonly expires_at: Date },
): Promise<boolean> {
  const locked = await tx.query(sql.type(IdRow)`SELECT d.id FROM report_drafts d WHERE d.id = ${draftId} FOR UPDATE`)
  const requested = await tx.prisma.mail.count({ where: { draft_id: draftId } })
  if (locked.length === 0 || requested >= MAILS_PER_DRAFT) return false
  await tx.prisma.reportDraft.updateMany({ where: { id: draftId }, data: { email: to.email, expires_at } })
  // A link to an address that was corrected may not read the draft, and a browser that has opened it may not either.
  await tx.execute(sql`DELETE FROM report_draft_links l WHERE l.draft_id = ${draftId} AND lower(l.email) <> lower(${to.email})`)
  const isWithinLimit =
    (await countMail(tx, 'draft address', to.email)) > 0 && (await countMail(tx, 'draft address of a day', to.email)) > 0
  await addMail(tx, { ...to, kind: 'draft', type: 'draft.link_requested', subject_id: draftId, isWithinLimit })
  return true
}

/** Requests the one mail that confirms a report to an address that has no proven owner. It reveals as little as `requestDraftMail`. */
export async function requestReceipt(tx: Transaction, { issueId, ...to }: Recipient & { readonly issueId: number }): Promise<void> {
  const isWithinLimit = (await countMail(tx, 'receipt address', to.email)) > 0
  await addMail(tx, { ...to, kind: 'receipt', type: 'report.receipt_requested', subject_id: issueId, isWithinLimit })
}

interface NewMail extends Recipient {
  readonly kind: 'draft' | 'receipt'
  readonly type: 'draft.link_requested' | 'report.receipt_requested'
  readonly subject_id: number
  /** A mail above the limit is stored as cancelled and without its address. */
  readonly isWithinLimit: boolean
}

async function addMail(tx: Transaction, { kind, type, subject_id, email, locale, isWithinLimit }: NewMail): Promise<void> {
  const event_id = await recordMailEvent(tx, { type, subject_id, actor_id: null })
  const subject = kind === 'draft' ? { draft_id: subject_id } : { issue_id: subject_id }
  const state = isWithinLimit ? { email } : { failed_at: new Date(), reply: CANCELLED_REPLY }
  await tx.prisma.mail.create({ data: { kind, event_id, locale, ...subject, ...state } })
}

/** Clears the device fields of reports or comments, which serve the analysis of errors in apps. @returns the number of rows */
export function clearDevices(db: Database, kind: 'issues' | 'comments', before: Date, size: number): Promise<number> {
  const names = kind === 'issues' ? ['device_id', 'device_os', 'device_name'] : ['device_id']
  const columns = names.map((name) => raw(name))
  return db.execute(sql`
    UPDATE ${raw(kind)} SET ${join(columns.map((column) => sql`${column} = NULL`))}
    WHERE id IN (
      SELECT o.id FROM ${raw(kind)} o
      WHERE (${join(
        columns.map((column) => sql`o.${column} IS NOT NULL`),
        ' OR ',
      )}) AND o.created_at <= ${before.toISOString()}::timestamptz
      ORDER BY o.created_at, o.id LIMIT ${size} FOR NO KEY UPDATE SKIP LOCKED)`)
}
