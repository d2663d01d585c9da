import { type Database, join, type Sql, sql } from '../database/database.ts'
import type { Viewer } from './access-queries.ts'

/*
 * When an answer may say that it is unchanged since a date. `changed_at` is the clock at the moment of a change, but others see the change
 * only when its transaction commits, and Last-Modified counts whole seconds. So a date is told only when whatever is not seen yet will
 * bear a later second; docs/adr/0007 has the argument.
 */

/**
 * Whether a moment of change may be told, as a condition. It is more than two seconds ago, and no transaction that writes here has been
 * under way for longer than one: what that commits is then stamped within the last second, or still to be stamped. Without any
 * transaction under way the look at all sessions is spared. A session of another role does not tell since when, so it counts as old, and so
 * does a prepared transaction, which has no session. A replica is behind by nobody knows how much.
 *
 * It holds for what is read by later statements: a transaction that ended before this looked is seen by those.
 */
export const isSettled = (changedAt: Sql): Sql => sql`(${changedAt} < now() - interval '2 seconds' AND NOT pg_is_in_recovery() AND (
  pg_snapshot_xmin(pg_current_snapshot()) = pg_snapshot_xmax(pg_current_snapshot())
  OR (NOT EXISTS (
      SELECT FROM pg_stat_activity a
      WHERE a.datname = current_database() AND a.backend_xid IS NOT NULL AND (a.xact_start > now() - interval '1 second') IS NOT TRUE)
    AND NOT EXISTS (SELECT FROM pg_prepared_xacts p WHERE p.database = current_database()))))`

/** Whether nothing of the caller's account, memberships, follows and votes changed since it was read at the beginning of the request. */
export const isViewerCurrent = (viewer: Viewer): Sql =>
  sql`EXISTS (SELECT FROM users u WHERE u.id = ${viewer.id} AND u.inner_changed_at = ${viewer.changedAt}::timestamptz)`

/** When the last of these went away, as one of the moments of `findLastChange`. */
export const lastRemoval = (kind: 'issues' | 'users' | 'places' | 'request_types'): Sql =>
  sql`(SELECT max(r.removed_at) FROM removals r WHERE r.kind = ${kind})`

/**
 * The Last-Modified of an answer that is yet to be read with `db.read` or `db.query`: the latest of these moments (scalar SQL, null
 * allowed), or null where it must not be told. Where reads may go to replicas it never is, since each of them is another moment behind.
 * @param viewer the caller, where the answer depends on who asks
 */
export async function findLastChange(db: Database, moments: readonly Sql[], viewer: Viewer | null = null): Promise<string | null> {
  if (db.readsMayLag) return null
  const all = viewer ? [...moments, sql`${viewer.changedAt}::timestamptz`] : moments
  const [last] = await db.read<{ changed_at: string }>(sql`
    SELECT c.changed_at FROM (SELECT greatest(${join(all)}) AS changed_at OFFSET 0) c
    WHERE ${isSettled(sql`c.changed_at`)} AND ${viewer ? isViewerCurrent(viewer) : sql`TRUE`}`)
  return last?.changed_at ?? null
}
