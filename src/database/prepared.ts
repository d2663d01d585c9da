import { createHash } from 'node:crypto'

import { type Sql, sql } from './database.ts'

const marked = new WeakSet<Sql>()
const names = new Map<string, string>()

/**
 * Marks a statement of constant text that is sent with nearly every request: a server then plans it once for each connection, which is
 * half of what it takes. Nothing else is marked, since each text stays with each connection.
 */
export function prepared(statement: Sql): Sql {
  marked.add(statement)
  return statement
}

/** The name under which a connection keeps it; undefined where it is not marked. */
export function nameOfPrepared(statement: Sql): string | undefined {
  if (!marked.has(statement)) return undefined
  const { text } = statement
  const known = names.get(text)
  if (known !== undefined) return known
  const name = `fixpoint_${createHash('sha1').update(text).digest('hex')}`
  names.set(text, name)
  return name
}

/**
 * Whether a server refuses a statement that the connection kept, before any of it is done, since its columns have other types by now: a newer release
 * has migrated the tables under this one. Whoever gives the connection up may ask again.
 */
export const isOutdated = (error: unknown): boolean =>
  error instanceof Error && 'routine' in error && error.routine === 'RevalidateCachedQuery'

/**
 * Whether a column of integers is one of these. A single one is compared with itself: to a kept plan every array looks like ten, dearer than the
 * one that is there, so that the plan would be made anew each time.
 */
export function isOneOf(column: Sql, ids: readonly number[]): Sql {
  return ids.length === 1 ? sql`${column} = ${ids[0]}::integer` : sql`${column} = ANY(${ids}::integer[])`
}
