import { createHash } from 'node:crypto'

import { type Sql, sql } from './database.ts'

const marked = new WeakSet<Sql>()
const names = new Map<string, string>()

/**
 * Marks a statement with constant text that nearly every request sends: the server plans it once for each connection, which halves
 * its time. Other statements stay unmarked because every connection keeps each text.
 */
export function prepared(statement: Sql): Sql {
  marked.add(statement)
  return statement
}

/** Returns the name of the prepared statement; undefined if the statement is not marked. */
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
 * Returns whether a server refused a prepared statement because the types of its columns have changed, as after a migration by a
 * newer release. The statement was not executed, so it may be sent again on another connection.
 */
export const isOutdated = (error: unknown): boolean =>
  error instanceof Error && 'routine' in error && error.routine === 'RevalidateCachedQuery'

/**
 * Returns the condition that an integer column has one of these values. A single id is compared directly: the generic plan assumes
 * ten elements for an array, looks more expensive than a custom plan, and PostgreSQL would plan each time.
 */
export function isOneOf(column: Sql, ids: readonly number[]): Sql {
  return ids.length === 1 ? sql`${column} = ${ids[0]}::integer` : sql`${column} = ANY(${ids}::integer[])`
}
