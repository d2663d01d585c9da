import { sql, type Database } from '../../src/database/database.ts'
import { queryRows } from '../helpers/query-rows.ts'

const NOW = new Date('2026-11-20T09:30:00.000Z')
const DAY_MS = 24 * 60 * 60 * 1000

export const now = (): Date => NOW
export const ago = (days: number, seconds = 0): Date => new Date(NOW.getTime() - days * DAY_MS - seconds * 1000)

export interface IssueInput {
  readonly status?: 'Open' | 'Acknowledged' | 'Closed' | 'Archived'
  readonly closed?: Date
  readonly imported?: Date
  readonly reopened?: Date
}

export async function createIssue(db: Database, { status = 'Closed', closed, imported, reopened }: IssueInput): Promise<number> {
  const times = [closed, imported, reopened].map((time) => time?.toISOString() ?? null)
  const [issue] = await queryRows<{ id: number }>(
    db,
    sql`
    INSERT INTO issues (status, summary, lng, lat, created_at, updated_at, closed_at, imported_at, reopened_at)
    VALUES (${status}, 'A pothole', -104.99, 39.74, '2026-01-01', '2026-01-02',
      ${times[0]}::timestamptz, ${times[1]}::timestamptz, ${times[2]}::timestamptz)
    RETURNING id`,
  )
  if (!issue) throw new Error('no issue was inserted')
  return issue.id
}

export async function createClosedIssues(db: Database, count: number): Promise<void> {
  await db.execute(sql`
    INSERT INTO issues (status, summary, lng, lat, closed_at)
    SELECT 'Closed', 'A pothole', -104.99, 39.74, ${ago(8).toISOString()}::timestamptz FROM generate_series(1, ${count})`)
}

export async function findStatus(db: Database, id: number): Promise<string | undefined> {
  const [issue] = await queryRows<{ status: string }>(db, sql`SELECT i.status FROM issues i WHERE i.id = ${id}`)
  return issue?.status
}

export async function archiveCounts(db: Database): Promise<{ issues: number; changes: number; events: number }> {
  const [counts] = await queryRows<{ issues: number; changes: number; events: number }>(
    db,
    sql`
    SELECT (SELECT count(*) FROM issues i WHERE i.status = 'Archived') AS issues,
           (SELECT count(*) FROM status_changes s WHERE s.to_status = 'Archived') AS changes,
           (SELECT count(*) FROM events e WHERE e.type = 'issue.archived') AS events`,
  )
  if (!counts) throw new Error('nothing was counted')
  return counts
}
