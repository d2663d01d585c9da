import type { QueueName } from './contracts.ts'
import { type Database, type Queryable, type Sql, sql } from '../database/database.ts'

/** A process that does jobs. */
export interface WorkerProcess {
  readonly id: string
  readonly queues: readonly QueueName[]
  readonly host: string
  readonly process_id: number
}

/** Three beats may be missed; after that it is taken for gone, killed or cut off from its queue. */
export const BEAT_EVERY_MS = 2_500
const GONE_AFTER_S = 8
/** So long a row still tells since when there is nobody. */
const KEPT_DAYS = 7

const isThere = sql`w.ended_at IS NULL AND w.seen_at > now() - make_interval(secs => ${GONE_AFTER_S})`

/** Writes that the process is well and sees its queues; doing so twice changes nothing. */
export async function noteWorker(db: Queryable, { id, queues, host, process_id }: WorkerProcess): Promise<void> {
  await db.query(sql`
    INSERT INTO workers (id, queues, host, process_id, started_at, seen_at)
    VALUES (${id}::uuid, ${queues}::text[], ${host}, ${process_id}, now(), now())
    ON CONFLICT (id) DO UPDATE SET seen_at = now() RETURNING workers.id`)
}

/** Writes that it ended in good order, and forgets who ended long ago. */
export async function noteWorkerEnd(db: Database, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(sql`UPDATE workers SET ended_at = now() WHERE workers.id = ${id}::uuid RETURNING workers.id`)
    await tx.query(sql`
      DELETE FROM workers w WHERE w.seen_at < now() - make_interval(days => ${KEPT_DAYS}) RETURNING w.id`)
  })
}

export interface QueueWorkers {
  readonly queue: QueueName
  readonly workers: number
  /** Seconds since one was last seen; null where none ever was, or not for a week. */
  readonly last_seen_s: number | null
  /** Seconds since the database was started; before that no worker could say anything. */
  readonly database_up_s: number
}

/** How many processes do the jobs of each of these queues now. */
export function workersOf(db: Queryable, queues: readonly QueueName[]): Promise<QueueWorkers[]> {
  return db.query<QueueWorkers>(sql`
    SELECT q.name AS queue, count(w.id) FILTER (WHERE ${isThere})::integer AS workers,
      extract(epoch FROM now() - max(w.seen_at))::float8 AS last_seen_s,
      greatest(0, extract(epoch FROM now() - pg_postmaster_start_time()))::float8 AS database_up_s
    FROM unnest(${queues}::text[]) WITH ORDINALITY AS q (name, n) LEFT JOIN workers w ON q.name = ANY (w.queues)
    GROUP BY q.name, q.n ORDER BY q.n`)
}

/** The processes that do the jobs of a queue; for a connection whose search path is not ours. */
export function clientsOf(queue: string): Sql {
  return sql`
    SELECT w.id, w.host, w.process_id, extract(epoch FROM now() - w.started_at)::integer AS age_s
    FROM public.workers w WHERE ${queue} = ANY (w.queues) AND ${isThere} ORDER BY w.started_at, w.id`
}
