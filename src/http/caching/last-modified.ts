import Type from 'typebox'

import { Timestamp } from '../../database/columns.ts'
import { type Database, join, optimizationFence, type Sql, sql } from '../../database/database.ts'
import { prepared } from '../../database/prepared.ts'

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
