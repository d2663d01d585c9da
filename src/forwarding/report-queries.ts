import Type, { type Static } from 'typebox'

import { Id, nullable } from '../database/columns.ts'
import { type Queryable, sql } from '../database/database.ts'
import type { Endpoint } from './endpoint-queries.ts'

const ReportRow = Type.Object({
  issue_id: Id,
  service_code: Type.String(),
  summary: Type.String(),
  description: nullable(Type.String()),
  lng: Type.Number(),
  lat: Type.Number(),
  address: nullable(Type.String()),
  image: nullable(Type.String()),
  video_url: nullable(Type.String()),
  reporter_name: nullable(Type.String()),
  reporter_email: nullable(Type.String()),
  /** Addresses of the issues through which the report came here. */
  origins: Type.Array(Type.String()),
  answers: Type.Array(
    Type.Object({
      question: Type.String(),
      answer: Type.String(),
      value: Type.Unknown(),
      is_private: Type.Boolean(),
    }),
  ),
})
export type Report = Static<typeof ReportRow>

/**
 * Returns what the endpoint may get about a public issue; undefined if the issue is not public or has no service at the endpoint. Data
 * that the organisation does not share, and contact data of Open311 reports, are not even read.
 */
export async function findReport(db: Queryable, issueId: number, { shared, url }: Endpoint): Promise<Report | undefined> {
  const shares = (data: Endpoint['shared'][number]) => shared.includes(data)
  const [report] = await db.query(sql.type(ReportRow)`
    SELECT i.id AS issue_id, coalesce(code.service_code, endpoint.default_service_code) AS service_code, i.summary, i.description,
      i.lng, i.lat, i.address, i.video_url,
      (SELECT m.full_key FROM media m
        WHERE m.issue_id = i.id AND m.comment_id IS NULL AND NOT m.is_answer AND NOT m.answer_kept_private ORDER BY m.id LIMIT 1) AS image,
      coalesce((SELECT origin.addresses FROM report_origins origin WHERE origin.issue_id = i.id), '{}') AS origins,
      CASE WHEN ${shares('names')} THEN reporter.name END AS reporter_name,
      CASE WHEN ${shares('emails')} THEN (
        SELECT e.email FROM email_addresses e WHERE e.user_id = reporter.id AND e.confirmed_at IS NOT NULL AND e.removed_at IS NULL
        ORDER BY e.id LIMIT 1) END AS reporter_email,
      coalesce((SELECT json_agg(json_build_object('question', a.question, 'answer', a.answer, 'value', a.value,
          'is_private', a.answer_kept_private) ORDER BY a.position, a.id)
        FROM issue_answers a WHERE a.issue_id = i.id AND NOT a.is_contact AND (NOT a.answer_kept_private OR ${shares('private_answers')})), '[]') AS answers
    FROM issues i
    JOIN request_types rt ON rt.id = i.request_type_id
    JOIN forwarding_endpoints endpoint ON endpoint.organization_id = rt.organization_id AND endpoint.url = ${url}
    LEFT JOIN forwarding_service_codes code ON code.request_type_id = rt.id
    LEFT JOIN users reporter ON reporter.id = i.reporter_id AND (NOT i.anonymous OR ${shares('anonymous_reporters')})
    WHERE i.id = ${issueId} AND i.moderation_state = 'passed'
      AND coalesce(code.service_code, endpoint.default_service_code) IS NOT NULL`)
  return report
}
