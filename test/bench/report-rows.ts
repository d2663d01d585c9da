import type { Database } from '../../src/database/database.ts'
import { fill } from './fill.ts'

export const REPORTERS = 1_000
export const ISSUES = 50_000

export const reporterToken = (reporter: number) => `fxp_bench-${reporter}`

/** Creates issues of one city, users with tokens, and a request type of an organisation around the city, whose reports have two answers. */
export async function fillForReports(db: Database): Promise<void> {
  await fill(db, { issues: ISSUES, withConversation: false })
  await db.executeScript(`
    INSERT INTO tokens (user_id, token_hash)
    SELECT n, translate(rtrim(encode(sha256(convert_to('fxp_bench-' || n, 'UTF8')), 'base64'), '='), '+/', '-_')
    FROM generate_series(1, ${REPORTERS}) n;
    INSERT INTO organizations (name, area)
    SELECT 'Public Works', ST_Multi(ST_MakeEnvelope(c.lng - 1, c.lat - 1, c.lng + 1, c.lat + 1, 4326)) FROM bench_cities c WHERE c.id = 1;
    INSERT INTO request_types (id, organization_id, title, category) SELECT 1000, o.id, 'Hole in the road', 'pothole' FROM organizations o;
    INSERT INTO request_type_questions (id, request_type_id, built_in, question, question_type, response_required, answer_kept_private, position)
    VALUES (1001, 1000, 'summary', 'What is it?', 'text', true, false, 0), (1002, 1000, 'description', 'Tell us more', 'textarea', false, false, 1),
      (1003, 1000, NULL, 'How deep is it, in cm?', 'number', true, false, 2), (1004, 1000, NULL, 'Your telephone?', 'text', false, true, 3),
      (1005, 1000, 'issue_image', 'A picture?', 'file', false, false, 4);`)
}

/** The statements of one report, which run in one transaction and write the same rows as the service. */
export const reportStatements = [
  {
    name: 'issue',
    text: `INSERT INTO issues (summary, description, category, lng, lat, address, request_type_id, reporter_id, anonymous, locale, moderation_state,
        device_id, device_os, device_name, created_at, updated_at)
      VALUES ($1, 'About 30 cm wide, cars swerve around it.', 'pothole', $2, $3, '1437 Bannock St', 1000, $4, false, 'en', 'passed',
        NULL, 'Android 16', NULL, now(), now()) RETURNING id`,
  },
  {
    name: 'history',
    text: `INSERT INTO status_changes (issue_id, actor_id, from_status, to_status) VALUES ($1, $2, NULL, 'Open')`,
  },
  {
    name: 'answers',
    text: `INSERT INTO issue_answers (issue_id, question_id, question, answer, value, answer_kept_private, position)
      VALUES ($1, 1003, 'How deep is it, in cm?', '12', '12', false, 2), ($1, 1004, 'Your telephone?', '555 0100', '"555 0100"', true, 3)`,
  },
  { name: 'follow', text: 'INSERT INTO follows (issue_id, user_id) VALUES ($1, $2)' },
  { name: 'points', text: 'UPDATE users SET civic_points = civic_points + 10 WHERE id = $1' },
  {
    name: 'event',
    text: `INSERT INTO events (type, subject_type, subject_id, actor_id) VALUES ('issue.reported', 'issue', $1, $2)`,
  },
] as const

export const reportAnswers = (summary: string) => ({
  summary,
  description: 'About 30 cm wide, cars swerve around it.',
  1003: 12,
  1004: '555 0100',
})
