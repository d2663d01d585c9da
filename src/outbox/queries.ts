import Type, { type Static } from 'typebox'

import {
  Count,
  Id,
  nullable,
  stringEnum,
  Timestamp,
  type PrismaHandle,
  type Queryable,
  type Sql,
  sql,
  type Transaction,
} from '../database/database.ts'
import { type DeliveryHandlerName, deliveryHandlerNames, forwardingHandlerNames } from '../queue/job-definitions.ts'
import { listDeliveryHandlers, type EventType, eventTypes } from './event-types.ts'

export interface NewEvent {
  readonly type: EventType
  readonly subject_id: number
  /** Null if the service itself or a schedule caused the event. */
  readonly actor_id: number | null
  /** The payload has only ids, because texts may be private or deleted later. */
  readonly payload?: Readonly<Record<string, number | readonly number[]>>
  readonly request_id?: string
}

const StoredEvent = Type.Object({
  id: Id,
  type: stringEnum(eventTypes),
  /** The id is 0 if the event has no subject. */
  subject_id: Type.Integer(),
  actor_id: nullable(Id),
  payload: Type.Record(Type.String(), Type.Unknown()),
  created_at: Timestamp,
})
export type StoredEvent = Static<typeof StoredEvent>

export const OutboxDelivery = Type.Object({
  event_id: Id,
  handler: stringEnum(deliveryHandlerNames),
  /** Number of times that `dispatch-outbox` or a retry by hand has queued the delivery. The first job after the commit does not count. */
  requeues: Count,
})
export type OutboxDelivery = Static<typeof OutboxDelivery>

/** The process that recorded the event normally queues the delivery right after its commit, so `dispatch-outbox` waits. */
const DISPATCH_AFTER_S = 5

const PAUSE_MAX_S = 3_600

/** A delivery that has not succeeded after so many starts is a dead letter. With the pauses between requeues this takes about a day. */
export const STARTS_MAX = 34

interface InsertedEvent {
  readonly type: EventType
  readonly subject_id: Sql
  readonly actor_id: Sql
  readonly payload?: Sql
  readonly request_id: string | undefined
  /** One row for the event; no event is recorded without a row. */
  readonly from: Sql
}

/** The SQL of a CTE `event` that records an event as a part of the statement of its change. */
export function insertEvent({ type, subject_id, actor_id, payload = sql`'{}'::jsonb`, request_id, from }: InsertedEvent): Sql {
  const [subject_type] = type.split('.')
  return sql`
    INSERT INTO events (type, subject_type, subject_id, actor_id, payload, request_id)
    SELECT ${type}::text, ${subject_type}::text, ${subject_id}, ${actor_id}, ${payload}, ${request_id ?? null}::text FROM ${from}
    RETURNING events.id, events.subject_id`
}

/** The SQL of a CTE `delivery` with the outbox deliveries of the CTE `event`. */
export const insertDeliveries = (type: EventType): Sql => sql`
  INSERT INTO outbox_deliveries (event_id, handler, due_at)
  SELECT event.id, handlers.name, now() + make_interval(secs => ${DISPATCH_AFTER_S})
  FROM event
  CROSS JOIN unnest(${listDeliveryHandlers(type)}::text[]) AS handlers (name)
  WHERE CASE WHEN handlers.name = 'set-target' THEN EXISTS (SELECT FROM target_rules)
    WHEN handlers.name = ANY (${[...forwardingHandlerNames]}::text[]) THEN EXISTS (SELECT FROM forwarding_endpoints) ELSE TRUE END
  RETURNING outbox_deliveries.event_id, outbox_deliveries.handler, outbox_deliveries.requeues`

/** Records an event and its outbox deliveries in the transaction of the change. The deliveries are queued after the commit. */
export const recordEvent = (tx: Transaction, { subject_id, ...event }: NewEvent) => recordEvents(tx, event, [subject_id])

/** Records an event whose mail, to an address without an account, is written with it. Returns the id of the event. */
export async function recordMailEvent(tx: Transaction, event: NewEvent): Promise<number> {
  const first = tx.deliveries.length
  await recordEvent(tx, event)
  const delivery = tx.deliveries[first]
  if (!delivery) throw new Error(`No handler delivers ${event.type}`)
  return delivery.event_id
}

/** Records the same event about each subject in one statement. */
export async function recordEvents(
  tx: Transaction,
  event: Omit<NewEvent, 'subject_id'>,
  subjectIds: readonly number[],
): Promise<void> {
  const inserted = insertEvent({
    type: event.type,
    subject_id: sql`change.subject_id`,
    actor_id: sql`${event.actor_id}::integer`,
    payload: sql`${JSON.stringify(event.payload ?? {})}::jsonb`,
    request_id: event.request_id,
    from: sql`unnest(${subjectIds}::integer[]) AS change (subject_id)`,
  })
  tx.deliveries.push(...(await tx.query(sql.type(OutboxDelivery)`WITH event AS (${inserted}) ${insertDeliveries(event.type)}`)))
}

const DueDelivery = Type.Object({ ...OutboxDelivery.properties, is_dead: Type.Boolean() })

/**
 * Returns due deliveries and moves their `due_at` to the next requeue, so concurrent calls return different ones. A handler may still
 * run meanwhile: the delivery is not leased. Deliveries with too many starts become dead letters: `recordDeliveryError` cannot do it if the worker crashed.
 */
export async function rescheduleDueDeliveries(
  db: Queryable,
  count: number,
): Promise<{ pending: OutboxDelivery[]; dead: OutboxDelivery[] }> {
  const due = await db.query(sql.type(DueDelivery)`
    UPDATE outbox_deliveries delivery
    SET requeues = delivery.requeues + 1,
      due_at = now() + make_interval(secs => least(${PAUSE_MAX_S}::float8, 5 * 2 ^ least(delivery.requeues, 20))),
      dead_at = CASE WHEN delivery.starts >= ${STARTS_MAX} THEN now() END
    FROM (
      SELECT pending.event_id, pending.handler
      FROM outbox_deliveries pending
      WHERE pending.delivered_at IS NULL AND pending.dead_at IS NULL AND pending.due_at <= now()
      ORDER BY pending.due_at, pending.event_id, pending.handler
      LIMIT ${count}
      FOR UPDATE SKIP LOCKED) due
    WHERE delivery.event_id = due.event_id AND delivery.handler = due.handler
    RETURNING delivery.event_id, delivery.handler, delivery.requeues, delivery.dead_at IS NOT NULL AS is_dead`)
  const select = (isDead: boolean) =>
    due.filter(({ is_dead }) => is_dead === isDead).map(({ event_id, handler, requeues }) => ({ event_id, handler, requeues }))
  return { pending: select(false), dead: select(true) }
}

/** Counts the start before the handler runs, because a worker that crashes cannot record a failure. */
export const startDelivery = (db: Queryable, eventId: number, handler: DeliveryHandlerName): Promise<StoredEvent | undefined> =>
  db.query(sql.first(StoredEvent)`
    UPDATE outbox_deliveries delivery
    SET starts = delivery.starts + 1
    FROM events event
    WHERE event.id = ${eventId} AND delivery.event_id = event.id AND delivery.handler = ${handler}
      AND delivery.delivered_at IS NULL AND delivery.dead_at IS NULL
    RETURNING event.id, event.type, event.subject_id, event.actor_id, event.payload, event.created_at`)

/**
 * Call it if the delivery has to wait for an external condition, because waiting must not make it a dead letter.
 * @param dueAt time of the next requeue; the default is that of a failure
 */
export async function clearStarts(db: PrismaHandle, event_id: number, handler: DeliveryHandlerName, dueAt?: string): Promise<void> {
  await db.prisma.outboxDelivery.updateMany({
    where: { event_id, handler, delivered_at: null, dead_at: null },
    data: { starts: 0, last_error: null, ...(dueAt === undefined ? {} : { due_at: dueAt }) },
  })
}

const RecordedError = Type.Object({ is_dead: Type.Boolean() })

/**
 * Returns true if the delivery is now a dead letter.
 * @param redacted the error without personal data
 * @param isFinal true if the same delivery would fail again
 */
export async function recordDeliveryError(
  db: Queryable,
  eventId: number,
  handler: DeliveryHandlerName,
  redacted: string,
  isFinal = false,
): Promise<boolean> {
  const [recorded] = await db.query(sql.type(RecordedError)`
    UPDATE outbox_deliveries delivery
    SET last_error = ${redacted}, dead_at = CASE WHEN ${isFinal} OR delivery.starts >= ${STARTS_MAX} THEN now() END
    WHERE delivery.event_id = ${eventId} AND delivery.handler = ${handler} AND delivery.delivered_at IS NULL AND delivery.dead_at IS NULL
    RETURNING delivery.dead_at IS NOT NULL AS is_dead`)
  return recorded?.is_dead ?? false
}

export async function extendStatementTimeout(tx: Transaction): Promise<void> {
  await tx.execute(sql`SET LOCAL statement_timeout = '10min'`)
}

/**
 * Call it in the handler's transaction. A delivery is delivered when its handler has committed; mails may be sent later. Returns false if
 * a concurrent run was first; the caller must then change nothing.
 */
export async function markDelivered(tx: Transaction, eventId: number, handler: DeliveryHandlerName): Promise<boolean> {
  const updated = await tx.execute(sql`
    UPDATE outbox_deliveries delivery SET delivered_at = now(), dead_at = NULL, starts = 0, last_error = NULL
    WHERE delivery.event_id = ${eventId} AND delivery.handler = ${handler} AND delivery.delivered_at IS NULL`)
  return updated > 0
}

/** A handler throws it if repeating the delivery would fail again: the delivery becomes a dead letter at once. */
export class FinalDeliveryError extends Error {
  override name = 'FinalDeliveryError'
}
