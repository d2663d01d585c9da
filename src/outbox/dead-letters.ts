import Type, { type Static } from 'typebox'

import { Count, Id, nullable, Timestamp, type PrismaHandle, type Queryable, sql, type Transaction } from '../database/database.ts'
import { limitClause, type Page } from '../http/lists/pagination.ts'
import type { DeliveryHandlerName } from '../queue/job-definitions.ts'
import { OutboxDelivery } from './queries.ts'

const DeadLetter = Type.Object({
  event_id: Id,
  handler: Type.String(),
  type: Type.String(),
  subject_id: Type.Integer(),
  /** See `OutboxDelivery`. */
  requeues: Count,
  /** Starts since the last retry. None of them succeeded. */
  starts: Count,
  /** The last error that was recorded; a worker process that crashes records none. */
  last_error: nullable(Type.String()),
  happened_at: Timestamp,
  dead_at: Timestamp,
})
export type DeadLetter = Static<typeof DeadLetter>

export async function listDeadLetters(db: Queryable & PrismaHandle, page: Page): Promise<{ dead: DeadLetter[]; entries: number }> {
  const entries = await db.prisma.outboxDelivery.count({ where: { dead_at: { not: null } } })
  const dead = await db.query(sql.type(DeadLetter)`
    SELECT delivery.event_id, delivery.handler, event.type, event.subject_id, delivery.requeues, delivery.starts,
      delivery.last_error, event.created_at AS happened_at, delivery.dead_at
    FROM outbox_deliveries delivery
    JOIN events event ON event.id = delivery.event_id
    WHERE delivery.dead_at IS NOT NULL
    ORDER BY delivery.dead_at DESC, delivery.event_id DESC, delivery.handler DESC ${limitClause(page)}`)
  return { dead, entries }
}

interface DeliverySubject {
  readonly subject_type: string
  readonly subject_id: number
  readonly handler: DeliveryHandlerName
}

/** Makes the last delivered delivery of a subject a dead letter, because its receiver has revoked it. @param error without personal data */
export async function recordDeadLetter(
  tx: Transaction,
  { subject_type, subject_id, handler }: DeliverySubject,
  error: string,
): Promise<void> {
  await tx.execute(sql`
    UPDATE outbox_deliveries delivery SET delivered_at = NULL, dead_at = now(), starts = 1, last_error = ${error}
    WHERE delivery.handler = ${handler} AND delivery.delivered_at IS NOT NULL AND delivery.event_id = (
      SELECT max(event.id) FROM events event JOIN outbox_deliveries revoked ON revoked.event_id = event.id AND revoked.handler = ${handler}
      WHERE event.subject_type = ${subject_type} AND event.subject_id = ${subject_id})`)
}

/** Makes a dead letter pending again. Returns undefined if it is not dead. Enqueue the returned delivery after the commit. */
export const retryDeadLetter = (db: Queryable, eventId: number, handler: string): Promise<OutboxDelivery | undefined> =>
  db.query(sql.first(OutboxDelivery)`
    UPDATE outbox_deliveries delivery
    SET dead_at = NULL, starts = 0, requeues = delivery.requeues + 1, due_at = now() + interval '5 seconds'
    WHERE delivery.event_id = ${eventId} AND delivery.handler = ${handler} AND delivery.dead_at IS NOT NULL
    RETURNING delivery.event_id, delivery.handler, delivery.requeues`)

const DeliveryCounts = Type.Object({
  handler: Type.String(),
  pending: Count,
  oldest_pending_s: nullable(Type.Number()),
  dead: Count,
})
export type DeliveryCounts = Static<typeof DeliveryCounts>

/** Counts pending deliveries and dead letters. Partial indexes keep the cost independent of all finished deliveries. */
export function countDeliveries(db: Queryable): Promise<DeliveryCounts[]> {
  return db.query(sql.type(DeliveryCounts)`
    WITH counts AS (
      SELECT delivery.handler, count(*) AS pending, 0 AS dead, min(delivery.event_id) AS oldest
      FROM outbox_deliveries delivery
      WHERE delivery.delivered_at IS NULL AND delivery.dead_at IS NULL
      GROUP BY delivery.handler
      UNION ALL
      SELECT delivery.handler, 0, count(*), NULL
      FROM outbox_deliveries delivery
      WHERE delivery.dead_at IS NOT NULL
      GROUP BY delivery.handler)
    SELECT counts.handler, sum(counts.pending)::integer AS pending, sum(counts.dead)::integer AS dead,
      extract(epoch FROM now() - min(event.created_at))::float8 AS oldest_pending_s
    FROM counts
    LEFT JOIN events event ON event.id = counts.oldest
    GROUP BY counts.handler
    ORDER BY counts.handler`)
}
