import Type from 'typebox'

import { Timestamp } from '../../database/columns.ts'
import { type Database, join, optimizationFence, type Sql, sql } from '../../database/database.ts'
import { prepared } from '../../database/prepared.ts'
import type { Viewer } from '../identity/viewer-queries.ts'

/*
 * The time of a change is earlier than the commit that makes it visible, and Last-Modified has a resolution of one second. So a
 * date is sent only if every change that is not visible yet will have a later second (docs/adr/0007).
 */

/** Returns the condition that every change which is not visible yet will have a later second. Evaluate it before the response is read. */
export const isSettled = (changedAt: Sql): Sql => sql`is_settled(${changedAt})`

/** Returns the condition that the caller's account, memberships, follows and votes are unchanged since the request began. */
export const isViewerCurrent = (viewer: Viewer): Sql =>
  sql`EXISTS (SELECT FROM users u WHERE u.id = ${viewer.id} AND u.any_change_at = ${viewer.changedAt}::timestamptz)`

/** Returns the time at which a row was last deleted or hidden, for `findLastModified`. */
export const lastRemoval = (table: 'issues' | 'users' | 'places' | 'questions' | 'request_types'): Sql =>
  sql`(SELECT max(r.removed_at) FROM removal_log r WHERE r.table_name = ${table})`

const LatestChange = Type.Object({ changed_at: Timestamp })

/**
 * Returns the Last-Modified of a response that is read afterwards: the latest of the times. Returns null if that time is not settled
 * (`isSettled`), if reads may go to replicas, or if the viewer has changed since the request began.
 * @param changeTimes scalar SQL expressions, each of which may be null
 */
export async function findLastModified(
  db: Database,
  changeTimes: readonly Sql[],
  viewer: Viewer | null = null,
): Promise<string | null> {
  // Each replica lags differently.
  if (db.readsMayLag) return null
  const times = viewer ? [...changeTimes, sql`${viewer.changedAt}::timestamptz`] : changeTimes
  const [latest] = await db.read(
    LatestChange,
    prepared(sql`
      SELECT latest.changed_at FROM (SELECT greatest(${join(times)}) AS changed_at ${optimizationFence}) latest
      WHERE ${isSettled(sql`latest.changed_at`)} AND ${viewer ? isViewerCurrent(viewer) : sql`TRUE`}`),
  )
  return latest?.changed_at ?? null
}

/** Shares one call between concurrent callers. A caller during a call gets the next one, which sees everything before it. */
export function coalesceCalls<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let current: Promise<Result> | undefined
  let next: Promise<Result> | undefined
  const start = () => {
    next = undefined
    const call = read().finally(() => {
      if (current === call) current = undefined
    })
    current = call
    return call
  }
  return () => {
    if (!current) return start()
    next ??= current.then(start, start)
    return next
  }
}
