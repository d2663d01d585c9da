import Type, { type Static } from 'typebox'

import { type HandlerName, handlerNames } from '../queue/contracts.ts'
import { listHandlers, type EventType, eventTypes } from './event-types.ts'
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

export const PendingDelivery = Type.Object({ event_id: Id, handler: oneOf(handlerNames), attempts: Count })
export type PendingDelivery = Static<typeof PendingDelivery>

/** Delay before `dispatch-outbox` takes a delivery: the process that recorded the event normally queues it right after its commit. */
const DISPATCH_AFTER_S = 5

const PAUSE_MAX_S = 3_600

/** Number of failures after which a delivery becomes a dead letter. With these pauses it takes about a day. */
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
      CROSS JOIN unnest(${listHandlers(event.type)}::text[]) AS h (name)
      RETURNING outbox_deliveries.event_id, outbox_deliveries.handler, outbox_deliveries.attempts`,
  )
}

const TakenDelivery = Type.Object({ ...PendingDelivery.properties, is_dead: Type.Boolean() })

/**
 * Takes up to `count` pending deliveries that are due, the longest due first, and postpones their next attempt. Concurrent
 * calls are safe. Deliveries that repeatedly crashed their worker become dead letters here, because the worker could not record
 * the failure.
 */
export async function takePendingDeliveries(
  db: Queryable,
  count: number,
): Promise<{ pending: PendingDelivery[]; dead: PendingDelivery[] }> {
  const taken = await db.query(
    TakenDelivery,
    sql`
      UPDATE outbox_deliveries e
      SET attempts = e.attempts + 1, due_at = now() + make_interval(secs => least(${PAUSE_MAX_S}::float8, 5 * 2 ^ least(e.attempts, 20))),
        dead_at = CASE WHEN e.failures >= ${FAILURES_MAX} THEN now() END
      FROM (
        SELECT o.event_id, o.handler
        FROM outbox_deliveries o
        WHERE o.delivered_at IS NULL AND o.dead_at IS NULL AND o.due_at <= now()
        ORDER BY o.due_at, o.event_id, o.handler
        LIMIT ${count}
        FOR UPDATE SKIP LOCKED) due
      WHERE e.event_id = due.event_id AND e.handler = due.handler
      RETURNING e.event_id, e.handler, e.attempts, e.dead_at IS NOT NULL AS is_dead`,
  )
  const select = (isDead: boolean) =>
    taken.filter(({ is_dead }) => is_dead === isDead).map(({ event_id, handler, attempts }) => ({ event_id, handler, attempts }))
  return { pending: select(false), dead: select(true) }
}

/**
 * Starts a pending delivery and returns its event. The attempt counts as failed until `markDelivered` or `recordDeliveryWait` is
 * called, because a worker that crashes cannot record a failure.
 */
export async function beginDelivery(db: Queryable, eventId: number, handler: HandlerName): Promise<StoredEvent | undefined> {
  const [event] = await db.query(
    StoredEvent,
    sql`
      UPDATE outbox_deliveries e
      SET failures = e.failures + 1
      FROM events v
      WHERE v.id = ${eventId} AND e.event_id = v.id AND e.handler = ${handler} AND e.delivered_at IS NULL AND e.dead_at IS NULL
      RETURNING v.id, v.type, v.subject_id, v.actor_id, v.payload, v.created_at`,
  )
  return event
}

/** Resets the failure count of a delivery that has to wait for an external condition. */
export async function recordDeliveryWait(db: Executable, eventId: number, handler: HandlerName): Promise<void> {
  await db.execute(sql`
    UPDATE outbox_deliveries e SET failures = 0, last_error = NULL
    WHERE e.event_id = ${eventId} AND e.handler = ${handler} AND e.delivered_at IS NULL AND e.dead_at IS NULL`)
}

const RecordedFailure = Type.Object({ is_dead: Type.Boolean() })

/**
 * Records a failed attempt and returns true if the delivery is now a dead letter.
 * @param redacted the error without personal data
 */
export async function recordDeliveryFailure(
  db: Queryable,
  eventId: number,
  handler: HandlerName,
  redacted: string,
): Promise<boolean> {
  const [recorded] = await db.query(
    RecordedFailure,
    sql`
      UPDATE outbox_deliveries e
      SET last_error = ${redacted}, dead_at = CASE WHEN e.failures >= ${FAILURES_MAX} THEN now() END
      WHERE e.event_id = ${eventId} AND e.handler = ${handler} AND e.delivered_at IS NULL AND e.dead_at IS NULL
      RETURNING e.dead_at IS NOT NULL AS is_dead`,
  )
  return recorded?.is_dead ?? false
}

/** Raises the timeout of each statement in the transaction to ten minutes. */
export async function extendStatementTimeout(tx: Transaction): Promise<void> {
  await tx.execute(sql`SET LOCAL statement_timeout = '10min'`)
}

/**
 * Marks the delivery as done in the handler's transaction. A concurrent second call waits for the first and returns false: the
 * second handler must then change nothing.
 */
export async function markDelivered(tx: Transaction, eventId: number, handler: HandlerName): Promise<boolean> {
  const updated = await tx.execute(sql`
    UPDATE outbox_deliveries e SET delivered_at = now(), dead_at = NULL, failures = 0, last_error = NULL
    WHERE e.event_id = ${eventId} AND e.handler = ${handler} AND e.delivered_at IS NULL`)
  return updated > 0
}
