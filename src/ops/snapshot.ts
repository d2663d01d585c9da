import { type QueueName, queueNames } from '../queue/contracts.ts'
import type { BullQueue } from '../queue/queue.ts'
import type { Replica } from '../database/database.ts'
import { countDeliveries, type DeliveryCounts } from '../outbox/dead-letters.ts'
import { countPendingCellChanges } from '../geo/pyramid/roll-up.ts'
import { findArchiveDelay } from '../issues/archive-delay-queries.ts'
import { type MailCounts, mailCounts } from '../mail/metrics-queries.ts'
import type { Services } from '../services.ts'
import { countWorkers } from '../queue/worker-queries.ts'

/** Scrapes and people who come together share one. */
const KEPT_MS = 2_000
const ANSWERS_WITHIN_MS = 2_000

export interface QueueSight {
  readonly waiting: number
  readonly active: number
  readonly delayed: number
  readonly failed: number
  /** Since the queue was made, or emptied. */
  readonly completed_total: number
  readonly failed_total: number
  readonly oldest_waiting_s: number | null
}

export interface WorkerSight {
  readonly workers: number
  /** 0 while there is one. Counted at the earliest from the start of the database, and from that of this process where none was ever seen. */
  readonly without_worker_s: number
}

export interface ReplicaSight {
  readonly name: string
  /** Takes reads, and answered when it was asked just now. */
  readonly isUp: boolean
  /** Null where it is no standby; undefined where it, or the primary, did not answer. */
  readonly lag_bytes: number | null | undefined
}

/** How the service does at one moment. What could not be asked is undefined. */
export interface Snapshot {
  readonly isDatabaseUp: boolean
  readonly isQueueUp: boolean
  readonly replicas: readonly ReplicaSight[]
  readonly queues: ReadonlyMap<QueueName, QueueSight> | undefined
  readonly workers: ReadonlyMap<QueueName, WorkerSight> | undefined
  readonly effects: readonly DeliveryCounts[] | undefined
  readonly mails: MailCounts | undefined
  readonly archive_late_s: number | undefined
  /** Changes that are not added up in the pyramid. */
  readonly cell_changes: number | undefined
}

/** Gives a snapshot that is at most two seconds old. It fails never: what does not answer within two seconds counts as away. */
export function snapshotsOf({ db, queue, clock }: Pick<Services, 'db' | 'queue' | 'clock'>): () => Promise<Snapshot> {
  const openedAt = performance.now()
  let kept: { readonly until: number; readonly snapshot: Promise<Snapshot> } | undefined

  const workers = async () => {
    const sights = await countWorkers(db, queueNames)
    const open_s = (performance.now() - openedAt) / 1000
    return new Map(
      sights.map(({ queue: name, workers: count, last_seen_s, database_up_s }) => [
        name,
        { workers: count, without_worker_s: count > 0 ? 0 : Math.min(last_seen_s ?? open_s, database_up_s) },
      ]),
    )
  }
  const queues = async () => {
    if (!queue?.isUp()) throw new Error('the queue is away')
    const { queues: opened } = queue
    const seen = await Promise.all(queueNames.map(async (name) => [name, await seeQueue(opened[name])] as const))
    return new Map(seen)
  }
  /** The numbers of the database one after the other, so that looking at it never takes more than one of its connections. */
  const look = async (): Promise<Snapshot> => {
    const seenQueues = within(queues())
    const seenReplicas = Promise.all(db.replicas.map(seeReplica))
    const isDatabaseUp = (await within(db.ping().then(() => true))) ?? false
    const ask = <Result>(work: () => Promise<Result>) => (isDatabaseUp ? within(work()) : undefined)
    const seen = {
      workers: await ask(workers),
      effects: await ask(() => countDeliveries(db)),
      mails: await ask(() => mailCounts(db)),
      archive_late_s: await ask(() => findArchiveDelay(db, clock())),
      cell_changes: await ask(() => countPendingCellChanges(db)),
    }
    const replicas = await seenReplicas
    return { isDatabaseUp, replicas, ...seen, queues: await seenQueues, isQueueUp: (await seenQueues) !== undefined }
  }

  return () => {
    const now = performance.now()
    if (!kept || kept.until < now) kept = { until: now + KEPT_MS, snapshot: look() }
    return kept.snapshot
  }
}

async function seeReplica({ name, isUp, lagBytes }: Replica): Promise<ReplicaSight> {
  const lag_bytes = await within(lagBytes())
  return { name, isUp: isUp() && lag_bytes !== undefined, lag_bytes }
}

async function seeQueue(queue: BullQueue): Promise<QueueSight> {
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

/** What it gives in time, else undefined. */
function within<Result>(work: Promise<Result>): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ANSWERS_WITHIN_MS)
  })
  return Promise.race([work.catch(() => undefined), late]).finally(() => clearTimeout(timer))
}
