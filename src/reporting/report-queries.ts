import Type, { type Static } from 'typebox'

import { Id, IdRow, nullable } from '../database/columns.ts'
import { type Queryable, sql, type Transaction } from '../database/database.ts'
import { isInStoredArea } from '../geo/area.ts'
import { type Point, toGeometry } from '../geo/point.ts'
import { type Reason } from '../content-policy/policy.ts'
import type { IssueSource } from '../issues/schema.ts'
import { questionsColumn } from '../request-types/queries.ts'
import type { RequestTypeQuestion } from '../request-types/schema.ts'
import { QuestionRow, typeTextColumns, typeTexts } from '../request-types/present.ts'

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
  const [type] = await db.query(sql.type(ReportType)`
    SELECT rt.id, ${typeTextColumns}, rt.category, coalesce(o.hold_everything, false) AS reviews_all, ${covers_point} AS covers_point, ${questionsColumn(sql`rt`)}
    FROM request_types rt
    LEFT JOIN organizations o ON o.id = rt.organization_id
    WHERE rt.id = ${id} AND rt.active`)
  return type
}

/** The reports of user `u` as `lockAuthorAndCountDuplicates` needs them. */
export const earlierReports = sql`
  SELECT i.created_at, concat(i.summary, i.description) AS text FROM issues i WHERE i.reporter_id = u.id`

export interface NewIssueRow {
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

/** Returns the id. A pending issue gets its follow and points on approval, because no public number may reveal it before. */
export async function insertIssue(tx: Transaction, issue: NewIssueRow): Promise<number> {
  const isPublic = issue.reviewReasons.length === 0
  const timestamp = issue.created_at.toISOString()
  const [inserted] = await tx.query(sql.type(IdRow)`
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
  if (!inserted) throw new Error('The INSERT returned no issue')
  return inserted.id
}
