import type { Queryable } from '../database/database.ts'
import { sql } from '../database/database.ts'
import { limitOf, type Page } from '../http/lists/pagination.ts'
import type { OwedEffect } from './queries.ts'

export interface DeadEffect {
  readonly event_id: number
  readonly handler: string
  readonly type: string
  readonly subject_id: number
  readonly tries: number
  readonly failures: number
  /** Class and message, without anybody's data; null where the worker ended by it and could say nothing. */
  readonly last_error: string | null
  /** ISO 8601, as all of these. */
  readonly happened_at: string
  readonly dead_at: string
}

/** Effects that are tried no more, the latest dead first, and how many there are in all. */
export async function listDeadEffects(db: Queryable, page: Page): Promise<{ dead: DeadEffect[]; entries: number }> {
  const [counted] = await db.query<{ entries: number }>(sql`
    SELECT count(*)::integer AS entries FROM event_effects e WHERE e.dead_at IS NOT NULL`)
  const dead = await db.query<DeadEffect>(sql`
    SELECT e.event_id, e.handler, v.type, v.subject_id, e.tries, e.failures, e.last_error, v.created_at AS happened_at, e.dead_at
    FROM event_effects e JOIN events v ON v.id = e.event_id
    WHERE e.dead_at IS NOT NULL
    ORDER BY e.dead_at DESC, e.event_id DESC, e.handler DESC ${limitOf(page)}`)
  return { dead, entries: counted?.entries ?? 0 }
}

/** Makes a dead effect owed once more, under a try of its own; undefined where it is not dead. */
export async function reviveEffect(db: Queryable, eventId: number, handler: string): Promise<OwedEffect | undefined> {
  const [owed] = await db.query<OwedEffect>(sql`
    UPDATE event_effects e SET dead_at = NULL, failures = 0, tries = e.tries + 1, due_at = now() + interval '5 seconds'
    WHERE e.event_id = ${eventId} AND e.handler = ${handler} AND e.dead_at IS NOT NULL
    RETURNING e.event_id, e.handler, e.tries`)
  return owed
}

export interface EffectCounts {
  readonly handler: string
  readonly owed: number
  /** Seconds since the event of the longest owed one; null where none is owed. */
  readonly oldest_owed_s: number | null
  readonly dead: number
}

/** How many effects are owed and dead: by partial indexes, however many were ever done. Ids of events grow with time. */
export function countEffects(db: Queryable): Promise<EffectCounts[]> {
  return db.query<EffectCounts>(sql`
    WITH open AS (
      SELECT e.handler, count(*) AS owed, 0 AS dead, min(e.event_id) AS oldest FROM event_effects e
      WHERE e.done_at IS NULL AND e.dead_at IS NULL GROUP BY e.handler
      UNION ALL
      SELECT e.handler, 0, count(*), NULL FROM event_effects e WHERE e.dead_at IS NOT NULL GROUP BY e.handler)
    SELECT o.handler, sum(o.owed)::integer AS owed, sum(o.dead)::integer AS dead,
      extract(epoch FROM now() - min(v.created_at))::float8 AS oldest_owed_s
    FROM open o LEFT JOIN events v ON v.id = o.oldest
    GROUP BY o.handler ORDER BY o.handler`)
}
