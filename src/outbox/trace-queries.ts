import Type, { type Static } from 'typebox'

import { Count, Id, nullable, Timestamp, type Queryable, type Sql, sql } from '../database/database.ts'

const EVENTS_MAX = 50
const MAILS_MAX = 100

export type TraceKey =
  | { readonly kind: 'event' | 'issue' | 'user'; readonly id: number }
  | { readonly kind: 'mail' | 'request' | 'address'; readonly id: string }

const TracedEvent = Type.Object({
  id: Id,
  type: Type.String(),
  subject_id: Type.Integer(),
  /** The value is null if the service caused the event, or if the reader may not see names. */
  actor_id: nullable(Id),
  /** The value is false if the event concerns an anonymous report and the reader may not see its reporter. */
  named: Type.Boolean(),
  request_id: nullable(Type.String()),
  created_at: Timestamp,
})
export type TracedEvent = Static<typeof TracedEvent>

const TracedDelivery = Type.Object({
  event_id: Id,
  handler: Type.String(),
  /** See `OutboxDelivery`. */
  requeues: Count,
  /** Starts that have not succeeded, including one that is running. */
  starts: Count,
  due_at: Timestamp,
  delivered_at: nullable(Timestamp),
  dead_at: nullable(Timestamp),
  last_error: nullable(Type.String()),
})
export type TracedDelivery = Static<typeof TracedDelivery>

const TracedMail = Type.Object({
  event_id: Id,
  message_id: Type.String(),
  /** The value is null for a mail without an account that was sent or has failed: its address is no longer stored. */
  email_address: nullable(Type.String()),
  attempts: Count,
  due_at: Timestamp,
  leased_until: nullable(Timestamp),
  sent_at: nullable(Timestamp),
  failed_at: nullable(Timestamp),
  reply: nullable(Type.String()),
})
export type TracedMail = Static<typeof TracedMail>

const MailCount = Type.Object({ event_id: Id, count: Count })

/** Returns the last events in chronological order. @param seesReporters whether the reader may see anonymous reporters */
export async function findTracedEvents(db: Queryable, traceKey: TraceKey, seesReporters: boolean): Promise<TracedEvent[]> {
  // An event that is found by a person would name its reporter.
  const isPersonal = traceKey.kind === 'user' || traceKey.kind === 'address'
  const events = await db.query(sql.type(TracedEvent)`
    SELECT event.id, event.type, event.subject_id, CASE WHEN s.named THEN event.actor_id END AS actor_id, s.named,
      event.request_id, event.created_at
    FROM events event
    CROSS JOIN LATERAL (SELECT ${seesReporters}::boolean OR ${mayShowNames} AS named) s
    WHERE (${matchesKey(traceKey)}) AND (s.named OR ${!isPersonal}::boolean)
    ORDER BY event.id DESC
    LIMIT ${EVENTS_MAX}`)
  return events.toReversed()
}

/**
 * An event of an anonymous report shows no names at all, because hiding only the reporter would reveal the reporter by
 * elimination. If the subject was deleted, its anonymity is unknown, and names stay hidden.
 */
const mayShowNames: Sql = sql`(event.subject_type IN ('user', 'email', 'question', 'answer', 'watch_area') OR coalesce((
  SELECT NOT i.anonymous FROM issues i
  WHERE i.id = CASE event.subject_type
    WHEN 'issue' THEN event.subject_id
    WHEN 'comment' THEN (SELECT c.issue_id FROM comments c WHERE c.id = event.subject_id)
    WHEN 'image' THEN (SELECT m.issue_id FROM media m WHERE m.id = event.subject_id) END), FALSE))`

function matchesKey(traceKey: TraceKey): Sql {
  switch (traceKey.kind) {
    case 'event':
      return sql`event.id = ${traceKey.id}`
    case 'issue':
      return sql`event.subject_type = 'issue' AND event.subject_id = ${traceKey.id}
        OR event.subject_type = 'comment' AND event.subject_id IN (SELECT c.id FROM comments c WHERE c.issue_id = ${traceKey.id})
        OR event.subject_type = 'image' AND event.subject_id IN (SELECT m.id FROM media m WHERE m.issue_id = ${traceKey.id})`
    case 'user':
      return sql`event.actor_id = ${traceKey.id} OR event.subject_type = 'user' AND event.subject_id = ${traceKey.id}`
    case 'address':
      return sql`event.id IN (SELECT mail.event_id FROM mails mail WHERE ${isToAddress(traceKey.id)})`
    case 'request':
      return sql`event.request_id = ${traceKey.id}`
    case 'mail':
      return sql`event.id IN (SELECT mail.event_id FROM mails mail WHERE mail.message_id = ${traceKey.id}::uuid)`
  }
}

const isToAddress = (address: string): Sql =>
  sql`(lower(mail.email) = lower(${address})
    OR mail.email_address_id IN (SELECT e.id FROM email_addresses e WHERE lower(e.email) = lower(${address})))`

export function listTracedDeliveries(db: Queryable, eventIds: readonly number[]): Promise<TracedDelivery[]> {
  return db.query(sql.type(TracedDelivery)`
    SELECT delivery.event_id, delivery.handler, delivery.requeues, delivery.starts, delivery.due_at,
      delivery.delivered_at, delivery.dead_at, delivery.last_error
    FROM outbox_deliveries delivery
    WHERE delivery.event_id = ANY (${eventIds}::bigint[])
    ORDER BY delivery.event_id, delivery.handler`)
}

export async function listTracedMails(db: Queryable, eventIds: readonly number[], traceKey: TraceKey) {
  const ofEvents = sql`mail.event_id = ANY (${eventIds}::bigint[])`
  const condition =
    traceKey.kind === 'mail'
      ? sql`mail.message_id = ${traceKey.id}::uuid`
      : traceKey.kind === 'address'
        ? sql`${ofEvents} AND ${isToAddress(traceKey.id)}`
        : ofEvents
  const mails = await db.query(sql.type(TracedMail)`
    SELECT mail.event_id, mail.message_id, coalesce(email.email, mail.email) AS email_address, mail.attempts, mail.due_at,
      mail.leased_until, mail.sent_at, mail.failed_at, mail.reply
    FROM mails mail
    LEFT JOIN email_addresses email ON email.id = mail.email_address_id
    WHERE ${condition}
    ORDER BY mail.event_id, mail.email_address_id, mail.message_id
    LIMIT ${MAILS_MAX}`)
  const counts = await db.query(sql.type(MailCount)`
    SELECT mail.event_id, count(*)::integer AS count
    FROM mails mail
    WHERE ${condition}
    GROUP BY mail.event_id
    ORDER BY mail.event_id`)
  return { mails, counts: new Map(counts.map(({ event_id, count }) => [event_id, count])) }
}
