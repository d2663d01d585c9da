import { type Sql, sql } from '../../src/database/database.ts'
import type { PostgresDatabase } from '../../src/database/postgres.ts'
import { verifyPyramid } from '../../src/geo/pyramid/verify.ts'
import type { Finding } from './check-writes.ts'
import { queryRows } from '../helpers/query-rows.ts'

export async function checkNumbers(db: PostgresDatabase): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [what, statement] of numbers) {
    const rows = await queryRows<{ id: number; stored: string; counted: string }>(
      db,
      sql`
      SELECT n.id, n.stored::text, n.counted::text FROM (${statement}) n WHERE n.stored IS DISTINCT FROM n.counted ORDER BY n.id LIMIT 20`,
    )
    findings.push(
      ...rows.map(({ id, stored, counted }) => ({
        kind: 'wrong' as const,
        text: `${what} of ${id} is ${stored}, counted ${counted}`,
      })),
    )
  }
  const { wrong, covers, parts } = await verifyPyramid(db)
  if (wrong.length > 0 || covers > 0 || parts > 0) {
    findings.push({
      kind: 'wrong',
      text: `${wrong.length} cells of the pyramid, ${covers} covers and ${parts} sets of parts differ from the issues and areas`,
    })
  }
  return findings
}

const last = sql`SELECT s.to_status FROM status_changes s WHERE s.issue_id = i.id ORDER BY s.id DESC LIMIT 1`

/** Civic points: ten for a report, five for a comment, five for a vote; none for anonymous or hidden content. */
const points = sql`
  10 * (SELECT count(*) FROM issues i WHERE i.reporter_id = u.id AND i.moderation_state = 'passed' AND NOT i.anonymous)
  + 5 * (SELECT count(*) FROM comments c WHERE c.commenter_id = u.id AND c.moderation_state = 'passed')
  + 5 * (SELECT count(*) FROM votes v WHERE v.user_id = u.id)`

const numbers: readonly (readonly [string, Sql])[] = [
  ['status', sql`SELECT i.id, i.status AS stored, (${last}) AS counted FROM issues i`],
  [
    'vote_count',
    sql`SELECT i.id, i.vote_count AS stored, (SELECT count(*) FROM votes v WHERE v.issue_id = i.id) AS counted FROM issues i`,
  ],
  [
    'rating',
    sql`SELECT i.id, i.rating AS stored, 1 + (SELECT count(*) FROM votes v WHERE v.issue_id = i.id)
        + EXISTS (SELECT FROM status_changes s WHERE s.issue_id = i.id AND s.to_status = 'Acknowledged')::integer AS counted
      FROM issues i`,
  ],
  ['civic_points', sql`SELECT u.id, u.civic_points AS stored, ${points} AS counted FROM users u`],
  [
    'chain of the history',
    sql`SELECT s.id, s.from_status AS stored, lag(s.to_status) OVER (PARTITION BY s.issue_id ORDER BY s.id) AS counted FROM status_changes s`,
  ],
]
