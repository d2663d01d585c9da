import type { FastifyReply } from 'fastify'
import { hash } from 'node:crypto'
import Type from 'typebox'

import { Timestamp, type Database, join, optimizationFence, type Sql, sql, prepared } from '../../database/database.ts'

/** @param lastModified an ISO timestamp; without one, the header is not set */
export function setLastModified(reply: FastifyReply, lastModified: string | null | undefined): void {
  if (lastModified) void reply.header('last-modified', new Date(lastModified).toUTCString())
}

export const weakEtag = (content: string | Buffer): string => `W/"${toHash(content)}"`

export const toHash = (content: string | Buffer) => hash('sha1', content, 'base64url')

/**
 * Returns the condition that no change which is not visible yet can have this time or an earlier one: write transactions end within half a
 * minute (`TRANSACTION_MAX_MS`). A standby lags by an unknown time.
 */
export const isOlderThanAMinute = (changedAt: Sql): Sql =>
  sql`${changedAt} < now() - interval '1 minute' AND NOT pg_is_in_recovery()`

const LatestChange = Type.Object({ changed_at: Timestamp })

/**
 * Returns the Last-Modified of a response that is read afterwards: the latest of the times, or null if it is not older than a minute.
 * @param changeTimes scalar SQL expressions, each of which may be null
 */
export async function findLastModified(db: Database, changeTimes: readonly Sql[]): Promise<string | null> {
  const [latest] = await db.reader.query(
    prepared(sql.type(LatestChange)`
    SELECT latest.changed_at FROM (SELECT greatest(${join(changeTimes)}) AS changed_at ${optimizationFence}) latest
    WHERE ${isOlderThanAMinute(sql`latest.changed_at`)}`),
  )
  return latest?.changed_at ?? null
}
