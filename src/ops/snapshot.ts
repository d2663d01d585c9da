import { setTimeout as pause } from 'node:timers/promises'

import { type QueueName, queueNames } from '../queue/job-definitions.ts'
import type { BullQueue } from '../queue/queue.ts'
import type { Database, Replica, Queryable } from '../database/database.ts'
import { countDeliveries, type DeliveryCounts } from '../outbox/dead-letters.ts'
import { countPendingCellChanges } from '../geo/pyramid/roll-up.ts'
import { findArchiveDelay } from '../issues/archive-queries.ts'
import {
  countPendingMails,
  type PendingMails,
  COUNTED_AFTER_S,
  countFinishedMails,
  type FinishedMails,
} from '../mail/metrics-queries.ts'
import { FAILOVER_KEY, findReportAge, type ReportName, reportNames } from '../storage/reports.ts'
import { type EndpointHealth, listEndpointHealth } from '../organizations/forwarding-settings.ts'
import type { Services } from '../services.ts'
import { countWorkers } from '../queue/worker-queries.ts'

const CACHE_MS = 2_000
/** The time in milliseconds after which a source counts as down. */
const ANSWERS_WITHIN_MS = 2_000
const SERVERS_CHECKED_EVERY_MS = 30_000
const SERVERS_ANSWER_WITHIN_MS = 10_000
/** The size of a missing file is undefined; only a storage that is away throws. */
const ANY_KEY = 'operations/check'

/** PostgreSQL counts the waiting jobs of a paused queue apart; the types of BullMQ lack this state. */
const PAUSED = 'paused' as 'waiting'

type QueueState = Awaited<ReturnType<typeof readQueue>>

interface WorkerState {
  readonly workers: number
  /** The time counts from the start of the database at the earliest, or of this process if no worker was ever recorded. */
  readonly without_worker_s: number
}

export interface ReplicaState {
  readonly name: string
  /** The value is true if the replica serves reads and answered for this snapshot. */
  readonly isUp: boolean
  /** The value is null if it is not a standby, and undefined if it or the primary did not answer. */
  readonly lag_bytes: number | null | undefined
}

/** A value is undefined if its source did not answer. */
export interface Snapshot {
  readonly isDatabaseUp: boolean
  readonly isQueueUp: boolean
  readonly replicas: readonly ReplicaState[]
  readonly queues: ReadonlyMap<QueueName, QueueState> | undefined
  readonly workers: ReadonlyMap<QueueName, WorkerState> | undefined
  readonly deliveries: readonly DeliveryCounts[] | undefined
  readonly endpoints: readonly EndpointHealth[] | undefined
  readonly webhooks: WebhookCounts | undefined
  readonly mails: PendingMails | undefined
  readonly mail_totals: MailTotals | undefined
  readonly archive_delay_s: number | undefined
  readonly cell_changes: number | undefined
  /** True for a storage, mail server or geocoder that answers, if it is set and was asked. */
  readonly servers: ReadonlyMap<string, boolean>
  /** The database has failed over since `npm run verify`. */
  readonly has_failed_over: boolean
  /** Seconds since the last success of commands that have succeeded. */
  readonly report_ages: ReadonlyMap<ReportName, number>
}

/** A snapshot is at most two seconds old. Reading never rejects: a source that takes longer than two seconds counts as down. */
export function createSnapshotReader({
  db,
  queue,
  clock,
  files,
  ...services
}: Pick<Services, 'db' | 'queue' | 'clock' | 'files' | 'config' | 'mailer'>): () => Promise<Snapshot> {
  const startedAt = performance.now()
  const readServers = createServerChecks({ files, ...services })
  const countMails = createMailCounter(db, new Date())
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
  /** The statements run one after the other, so that a snapshot uses only one connection. */
  const read = async (): Promise<Snapshot> => {
    const queueStates = withTimeout(queues())
    const ages = Promise.all(reportNames.map(async (name) => [name, await withTimeout(findReportAge(files, name))] as const))
    const failover = withTimeout(files.size(FAILOVER_KEY))
    const replicaStates = Promise.all(db.replicas.map(readReplica))
    const isDatabaseUp = (await withTimeout(db.ping().then(() => true))) ?? false
    const query = <Result>(work: () => Promise<Result>) => (isDatabaseUp ? withTimeout(work()) : undefined)
    const values = {
      workers: await query(workers),
      deliveries: await query(() => countDeliveries(db)),
      endpoints: await query(() => listEndpointHealth(db)),
      webhooks: await query(() => countWebhooks(db)),
      mails: await query(() => countPendingMails(db)),
      mail_totals: await query(countMails),
      archive_delay_s: await query(() => findArchiveDelay(db, clock())),
      cell_changes: await query(() => countPendingCellChanges(db)),
    }
    const replicas = await replicaStates
    const report_ages = new Map((await ages).filter((age): age is [ReportName, number] => age[1] !== undefined))
    return {
      isDatabaseUp,
      replicas,
      servers: readServers(),
      has_failed_over: (await failover) !== undefined,
      report_ages,
      ...values,
      queues: await queueStates,
      isQueueUp: (await queueStates) !== undefined,
    }
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

export async function readQueue(queue: BullQueue) {
  const counts = await queue.getJobCounts('waiting', PAUSED, 'active', 'delayed', 'failed')
  const waiting = (counts['waiting'] ?? 0) + (counts[PAUSED] ?? 0)
  const [oldest] = waiting === 0 ? [] : await queue.getJobs(['waiting', PAUSED], 0, 0, true)
  const [completed, failed] = await Promise.all([queue.getMetrics('completed', 0, 0), queue.getMetrics('failed', 0, 0)])
  return {
    waiting,
    active: counts['active'] ?? 0,
    delayed: counts['delayed'] ?? 0,
    failed: counts['failed'] ?? 0,
    completed_total: Number(completed.meta.count),
    failed_total: Number(failed.meta.count),
    oldest_waiting_s: oldest ? Math.max(0, (Date.now() - oldest.timestamp) / 1000) : null,
  }
}

/** Returns undefined for work that fails or takes too long. */
export const withTimeout = <Result>(work: Promise<Result>, within_ms = ANSWERS_WITHIN_MS): Promise<Result | undefined> =>
  Promise.race([work.catch(() => undefined), pause(within_ms, undefined, { ref: false })])

type WebhookCounts = Awaited<ReturnType<typeof countWebhooks>>

/** A webhook that has not started yet is in none of the states. */
async function countWebhooks({ prisma }: Pick<Database, 'prisma'>) {
  const rows = await prisma.webhook.groupBy({ by: 'is_active', _count: { id: true, failing_since: true } })
  const [started, ended] = [true, false].map((is_active) => rows.find((row) => row.is_active === is_active)?._count)
  const failing = started?.failing_since ?? 0
  return { working: (started?.id ?? 0) - failing, failing, stopped: ended?.failing_since ?? 0 }
}

type MailTotals = Readonly<Omit<FinishedMails, 'until'>>

/** Returns a function that counts the mails that all workers have finished since the start of this process. */
function createMailCounter(db: Queryable, startedAt: Date): () => Promise<MailTotals> {
  let since = new Date(startedAt.getTime() - COUNTED_AFTER_S * 1_000).toISOString()
  const totals = { sent: 0, rejected: 0, cancelled: 0 }
  return async () => {
    const from = since
    const { until, ...counts } = await countFinishedMails(db, from)
    // A slow call may overlap with the next one, and both count from the same timestamp.
    if (from === since && until > since) {
      since = until
      for (const outcome of ['sent', 'rejected', 'cancelled'] as const) totals[outcome] += counts[outcome]
    }
    return { ...totals }
  }
}

/** Returns a function that names the storage and the servers of the settings, and says which answered last. It checks them in the background. */
function createServerChecks({ config, files, mailer }: Pick<Services, 'config' | 'files' | 'mailer'>) {
  const checks: Record<string, () => Promise<unknown>> = {
    storage: () => files.size(ANY_KEY),
    ...(config.smtpUrl === undefined ? {} : { mail_server: mailer.verify }),
    ...(config.geocoderUrl === undefined ? {} : { geocoder: () => fetch(`${config.geocoderUrl}/status`, { method: 'HEAD' }) }),
  }
  const answered = new Map<string, boolean>()
  let checkedAt = -Infinity
  return (): ReadonlyMap<string, boolean> => {
    const now = performance.now()
    if (checkedAt + SERVERS_CHECKED_EVERY_MS > now) return answered
    checkedAt = now
    for (const [name, check] of Object.entries(checks)) {
      const isUp = withTimeout(
        check().then(() => true),
        SERVERS_ANSWER_WITHIN_MS,
      )
      void isUp.then((answer) => answered.set(name, answer === true))
    }
    return answered
  }
}
