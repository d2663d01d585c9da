import Type from 'typebox'

import { Count, sql, type Database, type Queryable } from '../database/database.ts'
import { statusLifetimeMs } from '../issue-lifecycle/transitions.ts'

const CLOSED_MAX_MS = statusLifetimeMs('Closed') ?? Infinity

const ArchivedCount = Type.Object({ archived: Count })

/**
 * Archives issues closed for seven days at `now`, the longest closed first. The period of an imported issue starts at the later of
 * its closing and its first import. SKIP LOCKED lets two workers share the work and leaves an issue alone that is being reopened;
 * the lock is weak enough for concurrent comments and votes.
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
      UPDATE issues i SET status = 'Archived', version = i.version + 1 FROM due WHERE i.id = due.id
      RETURNING i.id, i.version
    ), history AS (
      INSERT INTO status_changes (issue_id, from_status, to_status, created_at, version)
      SELECT archived.id, 'Closed', 'Archived', ${now.toISOString()}::timestamptz, archived.version FROM archived ORDER BY archived.id
      RETURNING id, issue_id
    ), recorded_events AS (
      INSERT INTO events (type, subject_type, subject_id, payload, created_at)
      SELECT 'issue.archived', 'issue', history.issue_id, jsonb_build_object('status_change_id', history.id), ${now.toISOString()}::timestamptz
      FROM history ORDER BY history.id
      RETURNING id
    )
    SELECT count(*)::integer AS archived FROM recorded_events`
  const [result] = await db.transaction((tx) => tx.query(sql.type(ArchivedCount)`${archive}`))
  return result?.archived ?? 0
}

const ArchiveDelay = Type.Object({ delay_s: Type.Number() })

/** Returns the delay in seconds of the most overdue issue that is not archived yet; 0 if there is none. */
export async function findArchiveDelay(db: Queryable, now: Date): Promise<number> {
  const due = new Date(now.getTime() - CLOSED_MAX_MS).toISOString()
  const [delay] = await db.query(sql.type(ArchiveDelay)`
    SELECT greatest(0, extract(epoch FROM ${due}::timestamptz - min(GREATEST(i.closed_at, i.imported_at))))::float8 AS delay_s
    FROM issues i WHERE i.status = 'Closed' AND GREATEST(i.closed_at, i.imported_at) <= ${due}::timestamptz`)
  return delay?.delay_s ?? 0
}
