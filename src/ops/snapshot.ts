import { type QueueName, queueNames } from '../queue/contracts.ts'
import type { BullQueue } from '../queue/queue.ts'
import type { Replica } from '../database/database.ts'
import { countDeliveries, type DeliveryCounts } from '../outbox/dead-letters.ts'
import { countPendingCellChanges } from '../geo/pyramid/roll-up.ts'
import { findArchiveDelay } from '../issues/archive-delay-queries.ts'
import { type MailCounts, mailCounts } from '../mail/metrics-queries.ts'
import type { Services } from '../services.ts'
import { countWorkers } from '../queue/worker-queries.ts'

/** Concurrent requests share one snapshot. */
const CACHE_MS = 2_000
const ANSWERS_WITHIN_MS = 2_000

export interface QueueState {
  readonly waiting: number
  readonly active: number
  readonly delayed: number
  readonly failed: number
  /** Total since the queue was created or emptied. */
  readonly completed_total: number
  readonly failed_total: number
  readonly oldest_waiting_s: number | null
}

export interface WorkerState {
  readonly workers: number
  /**
   * Seconds without a worker; 0 if there is one. Counts from the start of the database at the earliest, and from the start of this
   * process if no worker was ever recorded.
   */
  readonly without_worker_s: number
}

export interface ReplicaState {
  readonly name: string
  /** Whether the replica serves reads and has answered for this snapshot. */
  readonly isUp: boolean
  /** Null if it is not a standby; undefined if it or the primary did not answer. */
  readonly lag_bytes: number | null | undefined
}

/** The state of the service at one time. A value is undefined if its source did not answer. */
export interface Snapshot {
  readonly isDatabaseUp: boolean
  readonly isQueueUp: boolean
  readonly replicas: readonly ReplicaState[]
  readonly queues: ReadonlyMap<QueueName, QueueState> | undefined
  readonly workers: ReadonlyMap<QueueName, WorkerState> | undefined
  readonly deliveries: readonly DeliveryCounts[] | undefined
  readonly mails: MailCounts | undefined
  readonly archive_late_s: number | undefined
  /** Rows of the change log that are not rolled up yet. */
  readonly cell_changes: number | undefined
}

/** Returns a function that reads a snapshot, at most two seconds old. It never rejects: a source that takes longer than two seconds counts as down. */
export function snapshotReader({ db, queue, clock }: Pick<Services, 'db' | 'queue' | 'clock'>): () => Promise<Snapshot> {
  const startedAt = performance.now()
  let cached: { readonly until: number; readonly snapshot: Promise<Snapshot> } | undefined

  const workers = async () => {
    const states = await countWorkers(db, queueNames)
    const open_s = (performance.now() - startedAt) / 1000
    return new Map(
      states.map(({ queue: name, workers: count, last_seen_s, database_up_s }) => [
        name,
        { workers: count, without_worker_s: count > 0 ? 0 : Math.min(last_seen_s ?? open_s, database_up_s) },
      ]),
    )
  }
  const queues = async () => {
    if (!queue?.isUp()) throw new Error('the queue is down')
    const { queues: opened } = queue
    const states = await Promise.all(queueNames.map(async (name) => [name, await readQueue(opened[name])] as const))
    return new Map(states)
  }
  /** Queries the database one statement after the other, so that a snapshot uses only one connection. */
  const read = async (): Promise<Snapshot> => {
    const queueStates = withTimeout(queues())
    const replicaStates = Promise.all(db.replicas.map(readReplica))
    const isDatabaseUp = (await withTimeout(db.ping().then(() => true))) ?? false
    const query = <Result>(work: () => Promise<Result>) => (isDatabaseUp ? withTimeout(work()) : undefined)
    const values = {
      workers: await query(workers),
      deliveries: await query(() => countDeliveries(db)),
      mails: await query(() => mailCounts(db)),
      archive_late_s: await query(() => findArchiveDelay(db, clock())),
      cell_changes: await query(() => countPendingCellChanges(db)),
    }
    const replicas = await replicaStates
    return { isDatabaseUp, replicas, ...values, queues: await queueStates, isQueueUp: (await queueStates) !== undefined }
  }

  return () => {
    const now = performance.now()
    if (!cached || cached.until < now) cached = { until: now + CACHE_MS, snapshot: read() }
    return cached.snapshot
  }
}

async function readReplica({ name, isUp, lagBytes }: Replica): Promise<ReplicaState> {
  const lag_bytes = await withTimeout(lagBytes())
  return { name, isUp: isUp() && lag_bytes !== undefined, lag_bytes }
}

async function readQueue(queue: BullQueue): Promise<QueueState> {
  const counts = await queue.getJobCounts('waiting', 'active', 'delayed', 'failed')
  const [oldest] = counts['waiting'] === 0 ? [] : await queue.getJobs(['waiting'], 0, 0, true)
  const [completed, failed] = await Promise.all([queue.getMetrics('completed', 0, 0), queue.getMetrics('failed', 0, 0)])
  return {
    waiting: counts['waiting'] ?? 0,
    active: counts['active'] ?? 0,
    delayed: counts['delayed'] ?? 0,
    failed: counts['failed'] ?? 0,
    completed_total: Number(completed.meta.count),
    failed_total: Number(failed.meta.count),
    oldest_waiting_s: oldest ? Math.max(0, (Date.now() - oldest.timestamp) / 1000) : null,
  }
}

/** Returns the result; undefined if the work fails or takes too long. */
function withTimeout<Result>(work: Promise<Result>): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ANSWERS_WITHIN_MS)
  })
  return Promise.race([work.catch(() => undefined), late]).finally(() => clearTimeout(timer))
}
