import Type from 'typebox'

import { type Queryable, sql } from '../database/database.ts'
import { statusLifetimeMs } from '../issue-lifecycle/transitions.ts'

const CLOSED_MAX_MS = statusLifetimeMs('Closed') ?? Infinity

const ArchiveDelay = Type.Object({ delay_s: Type.Number() })

/** Returns the delay in seconds of the most overdue issue that is not archived yet; 0 if there is none. */
export async function findArchiveDelay(db: Queryable, now: Date): Promise<number> {
  const due = new Date(now.getTime() - CLOSED_MAX_MS).toISOString()
  const [delay] = await db.query(sql.type(ArchiveDelay)`
    SELECT greatest(0, extract(epoch FROM ${due}::timestamptz - min(GREATEST(i.closed_at, i.imported_at))))::float8 AS delay_s
    FROM issues i WHERE i.status = 'Closed' AND GREATEST(i.closed_at, i.imported_at) <= ${due}::timestamptz`)
  return delay?.delay_s ?? 0
}
