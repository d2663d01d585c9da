import Type, { type Static } from 'typebox'

import { Count, Id, nullable, Timestamp } from '../database/columns.ts'
import { type Queryable, sql } from '../database/database.ts'
import { limitClause, type Page } from '../http/lists/pagination.ts'
import { PendingDelivery } from './queries.ts'

const DeadLetter = Type.Object({
  event_id: Id,
  handler: Type.String(),
  type: Type.String(),
  /** The id is 0 if the event has no subject. */
  subject_id: Type.Integer(),
  attempts: Count,
  failures: Count,
  /** Class and message without personal data; null if the worker process crashed before it could report an error. */
  last_error: nullable(Type.String()),
  happened_at: Timestamp,
  dead_at: Timestamp,
})
export type DeadLetter = Static<typeof DeadLetter>

const EntriesRow = Type.Object({ entries: Count })

/** Returns one page of dead letters, the latest first, and their total number. */
export async function listDeadLetters(db: Queryable, page: Page): Promise<{ dead: DeadLetter[]; entries: number }> {
  const [counted] = await db.query(
    EntriesRow,
    sql`
      SELECT count(*)::integer AS entries FROM outbox_deliveries e WHERE e.dead_at IS NOT NULL`,
  )
  const dead = await db.query(
    DeadLetter,
    sql`
      SELECT e.event_id, e.handler, v.type, v.subject_id, e.attempts, e.failures, e.last_error, v.created_at AS happened_at, e.dead_at
      FROM outbox_deliveries e
      JOIN events v ON v.id = e.event_id
      WHERE e.dead_at IS NOT NULL
      ORDER BY e.dead_at DESC, e.event_id DESC, e.handler DESC ${limitClause(page)}`,
  )
  return { dead, entries: counted?.entries ?? 0 }
}

/** Retries a dead letter under a new attempt number. Returns undefined if it is not dead. */
export async function retryDeadLetter(db: Queryable, eventId: number, handler: string): Promise<PendingDelivery | undefined> {
  const [pending] = await db.query(
    PendingDelivery,
    sql`
      UPDATE outbox_deliveries e
      SET dead_at = NULL, failures = 0, attempts = e.attempts + 1, due_at = now() + interval '5 seconds'
      WHERE e.event_id = ${eventId} AND e.handler = ${handler} AND e.dead_at IS NOT NULL
      RETURNING e.event_id, e.handler, e.attempts`,
  )
  return pending
}

const DeliveryCounts = Type.Object({
  handler: Type.String(),
  pending: Count,
  oldest_pending_s: nullable(Type.Number()),
  dead: Count,
})
export type DeliveryCounts = Static<typeof DeliveryCounts>

/** Counts pending deliveries and dead letters. Partial indexes keep the cost independent of all finished deliveries. */
export function countDeliveries(db: Queryable): Promise<DeliveryCounts[]> {
  return db.query(
    DeliveryCounts,
    sql`
      WITH open AS (
        SELECT e.handler, count(*) AS pending, 0 AS dead, min(e.event_id) AS oldest
        FROM outbox_deliveries e
        WHERE e.delivered_at IS NULL AND e.dead_at IS NULL
        GROUP BY e.handler
        UNION ALL
        SELECT e.handler, 0, count(*), NULL
        FROM outbox_deliveries e
        WHERE e.dead_at IS NOT NULL
        GROUP BY e.handler)
      SELECT o.handler, sum(o.pending)::integer AS pending, sum(o.dead)::integer AS dead,
        extract(epoch FROM now() - min(v.created_at))::float8 AS oldest_pending_s
      FROM open o
      LEFT JOIN events v ON v.id = o.oldest
      GROUP BY o.handler
      ORDER BY o.handler`,
  )
}
