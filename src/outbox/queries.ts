import Type, { type Static } from 'typebox'

import { type DeliveryHandlerName, deliveryHandlerNames } from '../queue/job-definitions.ts'
import { listDeliveryHandlers, type EventType, eventTypes } from './event-types.ts'
import { Count, Id, nullable, oneOf, Timestamp } from '../database/columns.ts'
import { type Executable, type Queryable, sql, type Transaction } from '../database/database.ts'

export interface NewEvent {
  readonly type: EventType
  readonly subject_id: number
  /** Null if the service itself or a schedule caused the event. */
  readonly actor_id: number | null
  /** The payload has only ids and numbers, because texts may be private or deleted later. */
  readonly payload?: Readonly<Record<string, number | readonly number[]>>
  readonly request_id?: string
}

const StoredEvent = Type.Object({
  id: Id,
  type: oneOf(eventTypes),
  /** The id is 0 if the event has no subject. */
  subject_id: Type.Integer(),
  actor_id: nullable(Id),
  payload: Type.Record(Type.String(), Type.Unknown()),
  created_at: Timestamp,
})
export type StoredEvent = Static<typeof StoredEvent>

export const PendingDelivery = Type.Object({
  event_id: Id,
  handler: oneOf(deliveryHandlerNames),
  /** The number of times that the delivery was queued again after the first time, from the column `attempts`. */
  requeues: Count,
})
export type PendingDelivery = Static<typeof PendingDelivery>

/** The process that recorded the event normally queues the delivery right after its commit, so `dispatch-outbox` waits. */
const DISPATCH_AFTER_S = 5

const PAUSE_MAX_S = 3_600

/** A delivery with so many failed starts is a dead letter. With the pauses between requeues this takes about a day. */
export const FAILURES_MAX = 34

/** Records an event and its outbox deliveries in the transaction of the change. Call `dispatchDeliveries` after the commit. */
export async function recordEvent(tx: Transaction, event: NewEvent): Promise<PendingDelivery[]> {
  const [subject_type] = event.type.split('.')
  return tx.query(
    PendingDelivery,
    sql`
      WITH event AS (
        INSERT INTO events (type, subject_type, subject_id, actor_id, payload, request_id)
        VALUES (${event.type}, ${subject_type}, ${event.subject_id}, ${event.actor_id}, ${JSON.stringify(event.payload ?? {})}::jsonb,
          ${event.request_id ?? null})
        RETURNING events.id)
      INSERT INTO outbox_deliveries (event_id, handler, due_at)
      SELECT event.id, h.name, now() + make_interval(secs => ${DISPATCH_AFTER_S})
      FROM event
      CROSS JOIN unnest(${listDeliveryHandlers(event.type)}::text[]) AS h (name)
      RETURNING outbox_deliveries.event_id, outbox_deliveries.handler, outbox_deliveries.attempts AS requeues`,
  )
}

const LeasedDelivery = Type.Object({ ...PendingDelivery.properties, is_dead: Type.Boolean() })

/**
 * Leases deliveries by moving `due_at` to the next requeue, so concurrent calls lease different ones. Deliveries that crashed
 * their worker too often become dead letters.
 */
export async function leaseDueDeliveries(
  db: Queryable,
  count: number,
): Promise<{ pending: PendingDelivery[]; dead: PendingDelivery[] }> {
  const leased = await db.query(
    LeasedDelivery,
    sql`
      UPDATE outbox_deliveries delivery
      SET attempts = delivery.attempts + 1,
        due_at = now() + make_interval(secs => least(${PAUSE_MAX_S}::float8, 5 * 2 ^ least(delivery.attempts, 20))),
        dead_at = CASE WHEN delivery.failures >= ${FAILURES_MAX} THEN now() END
      FROM (
        SELECT pending.event_id, pending.handler
        FROM outbox_deliveries pending
        WHERE pending.delivered_at IS NULL AND pending.dead_at IS NULL AND pending.due_at <= now()
        ORDER BY pending.due_at, pending.event_id, pending.handler
        LIMIT ${count}
        FOR UPDATE SKIP LOCKED) due
      WHERE delivery.event_id = due.event_id AND delivery.handler = due.handler
      RETURNING delivery.event_id, delivery.handler, delivery.attempts AS requeues, delivery.dead_at IS NOT NULL AS is_dead`,
  )
  const select = (isDead: boolean) =>
    leased.filter(({ is_dead }) => is_dead === isDead).map(({ event_id, handler, requeues }) => ({ event_id, handler, requeues }))
  return { pending: select(false), dead: select(true) }
}

/** A start counts as a failure until its result is recorded, because a worker that crashes cannot record one. */
export async function startDelivery(
  db: Queryable,
  eventId: number,
  handler: DeliveryHandlerName,
): Promise<StoredEvent | undefined> {
  const [event] = await db.query(
    StoredEvent,
    sql`
      UPDATE outbox_deliveries delivery
      SET failures = delivery.failures + 1
      FROM events event
      WHERE event.id = ${eventId} AND delivery.event_id = event.id AND delivery.handler = ${handler}
        AND delivery.delivered_at IS NULL AND delivery.dead_at IS NULL
      RETURNING event.id, event.type, event.subject_id, event.actor_id, event.payload, event.created_at`,
  )
  return event
}

/** Clears the counted failures of a delivery that is still pending: waiting for an external condition is not a failure. */
export async function clearFailures(db: Executable, eventId: number, handler: DeliveryHandlerName): Promise<void> {
  await db.execute(sql`
    UPDATE outbox_deliveries delivery SET failures = 0, last_error = NULL
    WHERE delivery.event_id = ${eventId} AND delivery.handler = ${handler} AND delivery.delivered_at IS NULL AND delivery.dead_at IS NULL`)
}

const RecordedFailure = Type.Object({ is_dead: Type.Boolean() })

/** Returns true if the delivery is now a dead letter. @param redacted the error without personal data */
export async function recordDeliveryFailure(
  db: Queryable,
  eventId: number,
  handler: DeliveryHandlerName,
  redacted: string,
): Promise<boolean> {
  const [recorded] = await db.query(
    RecordedFailure,
    sql`
      UPDATE outbox_deliveries delivery
      SET last_error = ${redacted}, dead_at = CASE WHEN delivery.failures >= ${FAILURES_MAX} THEN now() END
      WHERE delivery.event_id = ${eventId} AND delivery.handler = ${handler} AND delivery.delivered_at IS NULL AND delivery.dead_at IS NULL
      RETURNING delivery.dead_at IS NOT NULL AS is_dead`,
  )
  return recorded?.is_dead ?? false
}

export async function extendStatementTimeout(tx: Transaction): Promise<void> {
  await tx.execute(sql`SET LOCAL statement_timeout = '10min'`)
}

/** Call it in the handler's transaction. Returns false if a concurrent handler was first; the caller must then change nothing. */
export async function markDelivered(tx: Transaction, eventId: number, handler: DeliveryHandlerName): Promise<boolean> {
  const updated = await tx.execute(sql`
    UPDATE outbox_deliveries delivery SET delivered_at = now(), dead_at = NULL, failures = 0, last_error = NULL
    WHERE delivery.event_id = ${eventId} AND delivery.handler = ${handler} AND delivery.delivered_at IS NULL`)
  return updated > 0
}
