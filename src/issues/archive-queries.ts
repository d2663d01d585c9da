import { sql, type Database } from '../database/database.ts'
import { lifeOf } from '../issue-lifecycle/transitions.ts'

const CLOSED_MAX_MS = lifeOf('Closed') ?? Infinity

/**
 * Archives up to `limit` issues that have spent seven days in Closed by `now`, the longest closed first, and gives how many.
 * An imported issue counts from the later of its closing and its first import. `updated_at` stays as it is.
 *
 * One statement, so that an issue, its history and its event change together or not at all. Rows that somebody else is changing
 * are passed over instead of waited for: two workers share the work, and an issue that is just being reopened is left alone
 * (a lock that lets comments and votes through is enough for that).
 */
export async function archiveNextClosedIssues(db: Database, now: Date, limit: number): Promise<number> {
  const closedBefore = new Date(now.getTime() - CLOSED_MAX_MS).toISOString()
  const archive = sql`
    WITH due AS (
      SELECT i.id
      FROM issues i
      WHERE i.status = 'Closed' AND GREATEST(i.closed_at, i.imported_at) <= ${closedBefore}::timestamptz
      ORDER BY GREATEST(i.closed_at, i.imported_at), i.id
      LIMIT ${limit}
      FOR NO KEY UPDATE SKIP LOCKED
    ), archived AS (
      UPDATE issues i SET status = 'Archived' FROM due WHERE i.id = due.id
      RETURNING i.id
    ), history AS (
      INSERT INTO status_changes (issue_id, from_status, to_status, created_at)
      SELECT a.id, 'Closed', 'Archived', ${now.toISOString()}::timestamptz FROM archived a ORDER BY a.id
      RETURNING id, issue_id
    ), noted AS (
      INSERT INTO events (type, subject_type, subject_id, payload, created_at)
      SELECT 'issue.archived', 'issue', h.issue_id, jsonb_build_object('status_change_id', h.id), ${now.toISOString()}::timestamptz
      FROM history h ORDER BY h.id
      RETURNING id
    )
    SELECT count(*)::integer AS archived FROM noted`
  const [counted] = await db.transaction((tx) => tx.query<{ archived: number }>(archive))
  return counted?.archived ?? 0
}
