import Type, { type Static } from 'typebox'

import { type QueueName, queueNames } from './job-definitions.ts'
import { Count, nullable, stringEnum, type Database, type Executable, type Queryable, sql } from '../database/database.ts'

interface WorkerProcess {
  readonly id: string
  readonly queues: readonly QueueName[]
  readonly host: string
  readonly process_id: number
}

/** A worker may miss three heartbeats before it counts as stopped. */
export const HEARTBEAT_EVERY_MS = 2_500
const STOPPED_AFTER_S = 8
const RETENTION_MS = 7 * 86_400_000

const isAlive = sql`worker.ended_at IS NULL AND worker.seen_at > now() - make_interval(secs => ${STOPPED_AFTER_S})`

export async function recordHeartbeat(db: Executable, { id, queues, host, process_id }: WorkerProcess): Promise<void> {
  await db.execute(sql`
    INSERT INTO workers (id, queues, host, process_id, started_at, seen_at)
    VALUES (${id}::uuid, ${queues}::text[], ${host}, ${process_id}, now(), now())
    ON CONFLICT (id) DO UPDATE SET seen_at = now()`)
}

/** Records an orderly shutdown and deletes old rows of stopped workers. */
export async function recordWorkerEnd(db: Database, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.prisma.worker.updateMany({ where: { id }, data: { ended_at: new Date() } })
    await tx.prisma.worker.deleteMany({ where: { seen_at: { lt: new Date(Date.now() - RETENTION_MS) } } })
  })
}

const QueueWorkers = Type.Object({
  queue: stringEnum(queueNames),
  workers: Count,
  last_seen_s: nullable(Type.Number()),
  /** Seconds since the database was started; workers could not record a heartbeat before. */
  database_up_s: Type.Number(),
})
type QueueWorkers = Static<typeof QueueWorkers>

export function countWorkers(db: Queryable, queues: readonly QueueName[]): Promise<QueueWorkers[]> {
  return db.query(sql.type(QueueWorkers)`
    SELECT queue.name AS queue, count(worker.id) FILTER (WHERE ${isAlive})::integer AS workers,
      extract(epoch FROM now() - max(worker.seen_at))::float8 AS last_seen_s,
      greatest(0, extract(epoch FROM now() - pg_postmaster_start_time()))::float8 AS database_up_s
    FROM unnest(${queues}::text[]) WITH ORDINALITY AS queue (name, position)
    LEFT JOIN workers worker ON queue.name = ANY (worker.queues)
    GROUP BY queue.name, queue.position
    ORDER BY queue.position`)
}
