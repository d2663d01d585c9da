import { type Database, sql } from '../../src/database/database.ts'
import { queryRows } from '../helpers/query-rows.ts'

/** Exports organisations and community request types in the file format of `npm run import -- organizations`. */
export async function organizationsOf(database: Database): Promise<Record<string, unknown>> {
  const [found] = await queryRows<{ file: Record<string, unknown> }>(
    database,
    sql`
    WITH types AS (
      SELECT rt.organization_id, json_agg(json_build_object('title', rt.title, 'translations', rt.translations, 'category', rt.category, 'position', rt.position,
        'questions', (
          SELECT coalesce(json_agg(json_strip_nulls(json_build_object('primary_key', q.built_in, 'question', q.question,
            'question_type', q.question_type, 'response_required', q.response_required, 'answer_kept_private', q.answer_kept_private,
            'select_values', q.select_values, 'translations', q.translations)) ORDER BY q.position), '[]')
          FROM request_type_questions q WHERE q.request_type_id = rt.id)) ORDER BY rt.position) AS list
      FROM request_types rt WHERE NOT rt.is_other GROUP BY rt.organization_id)
    SELECT json_build_object(
      'organizations', (
        SELECT json_agg(json_build_object('name', o.name, 'translations', o.translations, 'area', ST_AsGeoJSON(o.area, 15)::json,
          'hold_everything', o.hold_everything, 'request_types', t.list,
          'takes_other', EXISTS (SELECT FROM request_types rt WHERE rt.organization_id = o.id AND rt.is_other)) ORDER BY o.id)
        FROM organizations o JOIN types t ON t.organization_id = o.id),
      'community_request_types', (SELECT t.list FROM types t WHERE t.organization_id IS NULL)) AS file`,
  )
  return found?.file ?? {}
}

/** Returns for each city the number of logins in an organisation whose area covers the whole city. */
export function officialsByCity(database: Database): Promise<{ officials: number }[]> {
  return queryRows<{ officials: number }>(
    database,
    sql`
    SELECT p.name, count(DISTINCT e.id) AS officials
    FROM places p
    JOIN organizations o ON ST_Equals(o.area, p.boundary)
    JOIN organization_members m ON m.organization_id = o.id
    JOIN email_addresses e ON e.user_id = m.user_id AND e.confirmed_at IS NOT NULL
    WHERE p.place_type = 'City' GROUP BY p.name`,
  )
}
