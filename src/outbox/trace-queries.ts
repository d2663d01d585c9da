import Type, { type Static } from 'typebox'

import { Count, Id, nullable, Timestamp } from '../database/columns.ts'
import { type Queryable, type Sql, sql } from '../database/database.ts'

/** Limit of the listed events. Items beyond it, such as those of an issue with thousands of followers, are only counted. */
const EVENTS_MAX = 50
const MAILS_MAX = 100

export type TraceKey =
  | { readonly kind: 'event'; readonly id: number }
  | { readonly kind: 'mail'; readonly id: string }
  | { readonly kind: 'request'; readonly id: string }

const TracedEvent = Type.Object({
  id: Id,
  type: Type.String(),
  subject_id: Type.Integer(),
  /** Null if the service caused the event, or if the reader may not see names. */
  actor_id: nullable(Id),
  /** False if the event concerns an anonymous report and the reader may not see its reporter. */
  named: Type.Boolean(),
  request_id: nullable(Type.String()),
  created_at: Timestamp,
})
export type TracedEvent = Static<typeof TracedEvent>

const TracedDelivery = Type.Object({
  event_id: Id,
  handler: Type.String(),
  attempts: Count,
  failures: Count,
  due_at: Timestamp,
  delivered_at: nullable(Timestamp),
  dead_at: nullable(Timestamp),
  last_error: nullable(Type.String()),
})
export type TracedDelivery = Static<typeof TracedDelivery>

const TracedMail = Type.Object({
  event_id: Id,
  message_id: Type.String(),
  address: Type.String(),
  attempts: Count,
  due_at: nullable(Timestamp),
  leased_until: nullable(Timestamp),
  sent_at: nullable(Timestamp),
  failed_at: nullable(Timestamp),
  answer: nullable(Type.String()),
})
export type TracedMail = Static<typeof TracedMail>

const MailCount = Type.Object({ event_id: Id, count: Count })

/**
 * Returns the events of one mail or request, or one event. The events of a request are in chronological order.
 * @param seesReporters whether the reader may see the reporters of anonymous reports
 */
export function findTracedEvents(db: Queryable, key: TraceKey, seesReporters: boolean): Promise<TracedEvent[]> {
  return db.query(
    TracedEvent,
    sql`
      SELECT v.id, v.type, v.subject_id, CASE WHEN s.named THEN v.actor_id END AS actor_id, s.named, v.request_id, v.created_at
      FROM events v
      CROSS JOIN LATERAL (SELECT ${seesReporters}::boolean OR ${mayShowNames} AS named) s
      WHERE ${matchesKey(key)}
      ORDER BY v.id
      LIMIT ${EVENTS_MAX}`,
  )
}

/**
 * Whether the event may show names to readers who may not see anonymous reporters. An event of an anonymous report shows no
 * names at all: hiding only the reporter's name would reveal the reporter by elimination. If the subject was deleted, its
 * anonymity is unknown, and names stay hidden.
 */
const mayShowNames: Sql = sql`(v.subject_type IN ('user', 'email', 'question', 'answer', 'watch_area') OR coalesce((
  SELECT NOT i.anonymous FROM issues i
  WHERE i.id = CASE v.subject_type
    WHEN 'issue' THEN v.subject_id
    WHEN 'comment' THEN (SELECT c.issue_id FROM comments c WHERE c.id = v.subject_id)
    WHEN 'medium' THEN (SELECT m.issue_id FROM media m WHERE m.id = v.subject_id) END), FALSE))`

function matchesKey(key: TraceKey): Sql {
  switch (key.kind) {
    case 'event':
      return sql`v.id = ${key.id}`
    case 'request':
      return sql`v.request_id = ${key.id}`
    case 'mail':
      return sql`v.id IN (SELECT d.event_id FROM mail_deliveries d WHERE d.message_id = ${key.id}::uuid)`
  }
}

export function listTracedDeliveries(db: Queryable, eventIds: readonly number[]): Promise<TracedDelivery[]> {
  return db.query(
    TracedDelivery,
    sql`
      SELECT e.event_id, e.handler, e.attempts, e.failures, e.due_at, e.delivered_at, e.dead_at, e.last_error
      FROM outbox_deliveries e
      WHERE e.event_id = ANY (${eventIds}::bigint[])
      ORDER BY e.event_id, e.handler`,
  )
}

/** Returns the mails of the events, or the requested one, and their total number. */
export async function listTracedMails(db: Queryable, eventIds: readonly number[], key: TraceKey) {
  const condition = key.kind === 'mail' ? sql`d.message_id = ${key.id}::uuid` : sql`d.event_id = ANY (${eventIds}::bigint[])`
  const mails = await db.query(
    TracedMail,
    sql`
      SELECT d.event_id, d.message_id, m.email AS address, d.attempts, d.due_at, d.leased_until, d.sent_at, d.failed_at, d.answer
      FROM mail_deliveries d
      JOIN emails m ON m.id = d.email_id
      WHERE ${condition}
      ORDER BY d.event_id, d.email_id
      LIMIT ${MAILS_MAX}`,
  )
  const counts = await db.query(
    MailCount,
    sql`
      SELECT d.event_id, count(*)::integer AS count
      FROM mail_deliveries d
      WHERE ${condition}
      GROUP BY d.event_id
      ORDER BY d.event_id`,
  )
  return { mails, counts: new Map(counts.map(({ event_id, count }) => [event_id, count])) }
}
