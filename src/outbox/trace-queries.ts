import { type Queryable, type Sql, sql } from '../database/database.ts'

/** Enough for people; what has more, such as an issue with thousands of followers, is counted. */
const EVENTS_MAX = 50
const MAILS_MAX = 100

export type TraceKey =
  | { readonly kind: 'event'; readonly id: number }
  | { readonly kind: 'mail'; readonly id: string }
  | { readonly kind: 'request'; readonly id: string }

export interface TracedEvent {
  readonly id: number
  readonly type: string
  readonly subject_id: number
  /** Null where nobody did it, or where nobody is named. */
  readonly actor_id: number | null
  /** False where it is about an anonymous report and the reader may not know who reported. */
  readonly named: boolean
  readonly request_id: string | null
  readonly created_at: string
}

export interface TracedEffect {
  readonly event_id: number
  readonly handler: string
  readonly tries: number
  readonly failures: number
  readonly due_at: string
  readonly done_at: string | null
  readonly dead_at: string | null
  readonly last_error: string | null
}

export interface TracedMail {
  readonly event_id: number
  readonly message_id: string
  readonly address: string
  readonly tries: number
  readonly due_at: string | null
  readonly leased_until: string | null
  readonly sent_at: string | null
  readonly failed_at: string | null
  readonly answer: string | null
}

/**
 * The events of one mail or request, or one event. Those of a request are in the order in which they happened.
 * @param seesReporters whether the reader may know who reported anonymously
 */
export function findTracedEvents(db: Queryable, key: TraceKey, seesReporters: boolean): Promise<TracedEvent[]> {
  return db.query<TracedEvent>(sql`
    SELECT v.id, v.type, v.subject_id, CASE WHEN s.named THEN v.actor_id END AS actor_id, s.named, v.request_id, v.created_at
    FROM events v CROSS JOIN LATERAL (SELECT ${seesReporters}::boolean OR ${mayName} AS named) s
    WHERE ${isMeant(key)} ORDER BY v.id LIMIT ${EVENTS_MAX}`)
}

/**
 * Whether an event may name people to those who may not know who reported anonymously. Where it is about such a report it names nobody at
 * all, not only not the reporter: whose name alone is missing would be told by what the page shows of the others. What an event was about
 * may be gone; then nobody knows any more. Nobody asks, answers or watches without a name.
 */
const mayName: Sql = sql`(v.subject_type IN ('user', 'email', 'question', 'answer', 'watch_area') OR coalesce((
  SELECT NOT i.anonymous FROM issues i
  WHERE i.id = CASE v.subject_type
    WHEN 'issue' THEN v.subject_id
    WHEN 'comment' THEN (SELECT c.issue_id FROM comments c WHERE c.id = v.subject_id)
    WHEN 'medium' THEN (SELECT m.issue_id FROM media m WHERE m.id = v.subject_id) END), FALSE))`

function isMeant(key: TraceKey): Sql {
  switch (key.kind) {
    case 'event':
      return sql`v.id = ${key.id}`
    case 'request':
      return sql`v.request_id = ${key.id}`
    case 'mail':
      return sql`v.id IN (SELECT d.event_id FROM mail_deliveries d WHERE d.message_id = ${key.id}::uuid)`
  }
}

export function listTracedEffects(db: Queryable, eventIds: readonly number[]): Promise<TracedEffect[]> {
  return db.query<TracedEffect>(sql`
    SELECT e.event_id, e.handler, e.tries, e.failures, e.due_at, e.done_at, e.dead_at, e.last_error FROM event_effects e
    WHERE e.event_id = ANY (${eventIds}::bigint[]) ORDER BY e.event_id, e.handler`)
}

/** The mails of events, or the one that is asked for, and how many there are in all. */
export async function listTracedMails(db: Queryable, eventIds: readonly number[], key: TraceKey) {
  const of = key.kind === 'mail' ? sql`d.message_id = ${key.id}::uuid` : sql`d.event_id = ANY (${eventIds}::bigint[])`
  const mails = await db.query<TracedMail>(sql`
    SELECT d.event_id, d.message_id, m.email AS address, d.tries, d.due_at, d.leased_until, d.sent_at, d.failed_at, d.answer
    FROM mail_deliveries d JOIN emails m ON m.id = d.email_id
    WHERE ${of} ORDER BY d.event_id, d.email_id LIMIT ${MAILS_MAX}`)
  const counts = await db.query<{ event_id: number; count: number }>(sql`
    SELECT d.event_id, count(*)::integer AS count FROM mail_deliveries d WHERE ${of} GROUP BY d.event_id ORDER BY d.event_id`)
  return { mails, counts: new Map(counts.map(({ event_id, count }) => [event_id, count])) }
}
