import type { EffectName } from '../queue/contracts.ts'
import { handlersOf, type EventType } from './event-types.ts'
import { type Queryable, sql, type Transaction } from '../database/database.ts'

export interface NewEvent {
  readonly type: EventType
  /** What it happened to: the id of a row of the table that the type names. */
  readonly subject_id: number
  /** Null where nobody did it: time, or the service itself. */
  readonly actor_id: number | null
  /** Ids and numbers only, never texts: what is private or deleted later must not survive here. */
  readonly payload?: Readonly<Record<string, number | readonly number[]>>
  /** Of the request that caused it. */
  readonly request_id?: string
}

export interface StoredEvent {
  readonly id: number
  readonly type: EventType
  readonly subject_id: number
  readonly actor_id: number | null
  readonly payload: Readonly<Record<string, unknown>>
  /** ISO 8601. */
  readonly created_at: string
}

export interface OwedEffect {
  readonly event_id: number
  readonly handler: EffectName
  readonly tries: number
}

/** Whoever wrote the event queues its effects after the commit; the sweep takes only what that did not reach. */
const HEAD_START_S = 5

/** The pause before effects are queued again doubles with every try, up to an hour. */
const PAUSE_MAX_S = 3_600

/** With those pauses about a day. An effect that did not come to its end so often is dead: kept, and tried no more until somebody asks. */
export const FAILURES_MAX = 34

/** Writes what happened in the transaction of the change itself, and with it all that follows from it: `wakeEffects` after the commit. */
export async function recordEvent(tx: Transaction, event: NewEvent): Promise<OwedEffect[]> {
  const [subject_type] = event.type.split('.')
  return tx.query<OwedEffect>(sql`
    WITH written AS (
      INSERT INTO events (type, subject_type, subject_id, actor_id, payload, request_id)
      VALUES (${event.type}, ${subject_type}, ${event.subject_id}, ${event.actor_id}, ${JSON.stringify(event.payload ?? {})}::jsonb,
        ${event.request_id ?? null})
      RETURNING events.id)
    INSERT INTO event_effects (event_id, handler, due_at)
    SELECT w.id, h.name, now() + make_interval(secs => ${HEAD_START_S})
    FROM written w CROSS JOIN unnest(${handlersOf(event.type)}::text[]) AS h (name)
    RETURNING event_effects.event_id, event_effects.handler, event_effects.tries`)
}

/**
 * Takes up to `count` effects that are owed and due, the longest due first, and puts their next turn off. Several may do this at once.
 * Those that ended their worker instead of themselves are declared dead here, since nobody else could.
 */
export async function takeOwedEffects(db: Queryable, count: number): Promise<{ owed: OwedEffect[]; dead: OwedEffect[] }> {
  const taken = await db.query<OwedEffect & { is_dead: boolean }>(sql`
    UPDATE event_effects e
    SET tries = e.tries + 1, due_at = now() + make_interval(secs => least(${PAUSE_MAX_S}::float8, 5 * 2 ^ least(e.tries, 20))),
      dead_at = CASE WHEN e.failures >= ${FAILURES_MAX} THEN now() END
    FROM (
      SELECT o.event_id, o.handler FROM event_effects o
      WHERE o.done_at IS NULL AND o.dead_at IS NULL AND o.due_at <= now()
      ORDER BY o.due_at, o.event_id, o.handler
      LIMIT ${count}
      FOR UPDATE SKIP LOCKED) due
    WHERE e.event_id = due.event_id AND e.handler = due.handler
    RETURNING e.event_id, e.handler, e.tries, e.dead_at IS NOT NULL AS is_dead`)
  const those = (isDead: boolean) =>
    taken.filter(({ is_dead }) => is_dead === isDead).map(({ event_id, handler, tries }) => ({ event_id, handler, tries }))
  return { owed: those(false), dead: those(true) }
}

/**
 * Begins an effect that is owed, and gives its event. It counts as failed until it is paid or `noteEffectWaits` says otherwise: a worker
 * that is killed by what it does can say nothing any more.
 */
export async function beginEffect(db: Queryable, eventId: number, handler: EffectName): Promise<StoredEvent | undefined> {
  const [event] = await db.query<StoredEvent>(sql`
    UPDATE event_effects e SET failures = e.failures + 1
    FROM events v
    WHERE v.id = ${eventId} AND e.event_id = v.id AND e.handler = ${handler} AND e.done_at IS NULL AND e.dead_at IS NULL
    RETURNING v.id, v.type, v.subject_id, v.actor_id, v.payload, v.created_at`)
  return event
}

/** It could not be done yet through no fault of ours, and so did not fail. */
export async function noteEffectWaits(db: Queryable, eventId: number, handler: EffectName): Promise<void> {
  await db.query(sql`
    UPDATE event_effects e SET failures = 0, last_error = NULL
    WHERE e.event_id = ${eventId} AND e.handler = ${handler} AND e.done_at IS NULL AND e.dead_at IS NULL RETURNING e.event_id`)
}

/** @param told the error, without anybody's data. True where the effect is dead by it. */
export async function noteEffectFailure(db: Queryable, eventId: number, handler: EffectName, told: string): Promise<boolean> {
  const [noted] = await db.query<{ is_dead: boolean }>(sql`
    UPDATE event_effects e SET last_error = ${told}, dead_at = CASE WHEN e.failures >= ${FAILURES_MAX} THEN now() END
    WHERE e.event_id = ${eventId} AND e.handler = ${handler} AND e.done_at IS NULL AND e.dead_at IS NULL
    RETURNING e.dead_at IS NOT NULL AS is_dead`)
  return noted?.is_dead ?? false
}

/** Lets each statement of the transaction take ten minutes. */
export async function allowTime(tx: Transaction): Promise<void> {
  await tx.query(sql`SELECT set_config('statement_timeout', '600000', true) AS allowed`)
}

/**
 * Pays the effect, in the transaction that has it. A second one that comes at the same time waits for the first and then gets false:
 * it must change nothing.
 */
export async function payEffect(tx: Transaction, eventId: number, handler: EffectName): Promise<boolean> {
  const paid = await tx.query(sql`
    UPDATE event_effects e SET done_at = now(), dead_at = NULL, failures = 0, last_error = NULL
    WHERE e.event_id = ${eventId} AND e.handler = ${handler} AND e.done_at IS NULL
    RETURNING e.event_id`)
  return paid.length > 0
}
