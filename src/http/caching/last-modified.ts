import Type from 'typebox'

import { Timestamp } from '../../database/columns.ts'
import { type Database, join, type Sql, sql } from '../../database/database.ts'
import { prepared } from '../../database/prepared.ts'
import type { Viewer } from '../identity/viewer-queries.ts'

/*
 * `changed_at` is the time of the change, but other transactions see the change after the commit, and Last-Modified has a
 * resolution of one second. So a date is sent only when every change that is not visible yet will have a later second;
 * docs/adr/0007 has the proof.
 */

/**
 * Returns the condition that a time of change may be sent. It holds for later statements, not for the rest of the same statement.
 */
export const isSettled = (changedAt: Sql): Sql => sql`is_settled(${changedAt})`

/**
 * Returns the condition that the caller's account, memberships, follows and votes are unchanged since the start of the request.
 */
export const isViewerCurrent = (viewer: Viewer): Sql =>
  sql`EXISTS (SELECT FROM users u WHERE u.id = ${viewer.id} AND u.internal_changed_at = ${viewer.changedAt}::timestamptz)`

/** Returns the time of the last removal of this kind, for `findLastChange`. */
export const lastRemoval = (kind: 'issues' | 'users' | 'places' | 'questions' | 'request_types'): Sql =>
  sql`(SELECT max(r.removed_at) FROM removals r WHERE r.kind = ${kind})`

const LastChange = Type.Object({ changed_at: Timestamp })

/**
 * Returns the Last-Modified of an answer that is read afterwards: the latest of the times (scalar SQL, nullable), or null if it
 * must not be sent. With replicas it is always null, because each replica lags differently.
 * @param viewer the caller, if the answer depends on the caller
 */
export async function findLastChange(
  db: Database,
  changeTimes: readonly Sql[],
  viewer: Viewer | null = null,
): Promise<string | null> {
  if (db.readsMayLag) return null
  const all = viewer ? [...changeTimes, sql`${viewer.changedAt}::timestamptz`] : changeTimes
  const [last] = await db.read(
    LastChange,
    prepared(sql`
      SELECT c.changed_at FROM (SELECT greatest(${join(all)}) AS changed_at OFFSET 0) c
      WHERE ${isSettled(sql`c.changed_at`)} AND ${viewer ? isViewerCurrent(viewer) : sql`TRUE`}`),
  )
  return last?.changed_at ?? null
}

/**
 * Shares one call between concurrent callers. A caller that arrives during a call waits for the next one, which sees everything
 * that happened before the caller arrived.
 */
export function shareConcurrentCalls<Answer>(read: () => Promise<Answer>): () => Promise<Answer> {
  let current: Promise<Answer> | undefined
  let next: Promise<Answer> | undefined
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
