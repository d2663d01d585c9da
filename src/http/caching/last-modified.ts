import { type Database, join, type Sql, sql } from '../../database/database.ts'
import { prepared } from '../../database/prepared.ts'
import type { Viewer } from '../identity/viewer-queries.ts'

/*
 * When an answer may say that it is unchanged since a date. `changed_at` is the clock at the moment of a change, but others see the change
 * only when its transaction commits, and Last-Modified counts whole seconds. So a date is told only when whatever is not seen yet will
 * bear a later second; docs/adr/0007 has the argument.
 */

/**
 * Whether a moment of change may be told, as a condition; for what later statements read, not for the rest of the same one. The database
 * decides, in the migration on freshness.
 */
export const isSettled = (changedAt: Sql): Sql => sql`is_settled(${changedAt})`

/** Whether nothing of the caller's account, memberships, follows and votes changed since it was read at the beginning of the request. */
export const isViewerCurrent = (viewer: Viewer): Sql =>
  sql`EXISTS (SELECT FROM users u WHERE u.id = ${viewer.id} AND u.inner_changed_at = ${viewer.changedAt}::timestamptz)`

/** When the last of these went away, as one of the moments of `findLastChange`. */
export const lastRemoval = (kind: 'issues' | 'users' | 'places' | 'questions' | 'request_types'): Sql =>
  sql`(SELECT max(r.removed_at) FROM removals r WHERE r.kind = ${kind})`

/**
 * The Last-Modified of an answer that is yet to be read with `db.read` or `db.query`: the latest of these moments (scalar SQL, null
 * allowed), or null where it must not be told. Where reads may go to replicas it never is, since each of them is another moment behind.
 * @param viewer the caller, where the answer depends on who asks
 */
export async function findLastChange(db: Database, moments: readonly Sql[], viewer: Viewer | null = null): Promise<string | null> {
  if (db.readsMayLag) return null
  const all = viewer ? [...moments, sql`${viewer.changedAt}::timestamptz`] : moments
  const [last] = await db.read<{ changed_at: string }>(
    prepared(sql`
      SELECT c.changed_at FROM (SELECT greatest(${join(all)}) AS changed_at OFFSET 0) c
      WHERE ${isSettled(sql`c.changed_at`)} AND ${viewer ? isViewerCurrent(viewer) : sql`TRUE`}`),
  )
  return last?.changed_at ?? null
}

/**
 * Asks once for all who want to know at the same time: whoever comes while a question is under way waits for the next one, which is asked
 * after they came and so knows all that was before.
 */
export function shared<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let underWay: Promise<Answer> | undefined
  let next: Promise<Answer> | undefined
  const begin = () => {
    next = undefined
    const asked = ask().finally(() => {
      if (underWay === asked) underWay = undefined
    })
    underWay = asked
    return asked
  }
  return () => {
    if (!underWay) return begin()
    next ??= underWay.then(begin, begin)
    return next
  }
}
