import { createHash } from 'node:crypto'

import { type Sql, sql } from './database.ts'

/** Every connection keeps each text with its plan, and callers choose parts of some texts, such as the order of a list. */
const TEXTS_MAX = 400

const preparedStatements = new WeakSet<Sql>()
const namesByText = new Map<string, string>()

/**
 * Marks a statement with constant text that nearly every request sends: the server plans it once for each connection, which halves
 * its time. Other statements stay unmarked because every connection keeps each text.
 */
export function prepared(statement: Sql): Sql {
  preparedStatements.add(statement)
  return statement
}

/** Returns the name of the prepared statement; undefined if the statement is not marked or there are too many texts. */
export function preparedName(statement: Sql): string | undefined {
  if (!preparedStatements.has(statement)) return undefined
  const { text } = statement
  const existing = namesByText.get(text)
  if (existing !== undefined) return existing
  if (namesByText.size >= TEXTS_MAX) return undefined
  const name = `fixpoint_${createHash('sha1').update(text).digest('hex')}`
  namesByText.set(text, name)
  return name
}

/**
 * Returns whether a server refused a prepared statement because the types of its columns have changed, as after a migration by a
 * newer release. The statement was not executed, so it may be sent again on another connection.
 */
export const isOutdatedPlan = (error: unknown): boolean =>
  error instanceof Error && 'routine' in error && error.routine === 'RevalidateCachedQuery'

/**
 * Returns the condition that an integer column has one of these values. A single id is compared directly: the generic plan assumes
 * ten elements for an array, looks more expensive than a custom plan, and PostgreSQL would plan each time.
 */
export function isOneOf(column: Sql, ids: readonly number[]): Sql {
  return ids.length === 1 ? sql`${column} = ${ids[0]}::integer` : sql`${column} = ANY(${ids}::integer[])`
}
