import { type Queryable, sql } from '../database/database.ts'
import { lifeOf } from '../issue-lifecycle/transitions.ts'

const CLOSED_MAX_MS = lifeOf('Closed') ?? Infinity

/** Seconds by which the issue that should have been archived first is late; 0 where none is. */
export async function archiveLateBy(db: Queryable, now: Date): Promise<number> {
  const due = new Date(now.getTime() - CLOSED_MAX_MS).toISOString()
  const [late] = await db.query<{ late_s: number }>(sql`
    SELECT greatest(0, extract(epoch FROM ${due}::timestamptz - min(GREATEST(i.closed_at, i.imported_at))))::float8 AS late_s
    FROM issues i WHERE i.status = 'Closed' AND GREATEST(i.closed_at, i.imported_at) <= ${due}::timestamptz`)
  return late?.late_s ?? 0
}
