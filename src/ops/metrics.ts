import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

import { handlerContracts } from '../queue/contracts.ts'
import packageJson from '../../package.json' with { type: 'json' }
import type { PoolLoad } from '../database/database.ts'
import { ALARM_AFTER } from './health.ts'
import type { Snapshot } from './snapshot.ts'

/** Of this process, however many apps it builds: collecting them twice would count twice. */
let ofProcess: Registry | undefined

function processMetrics(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess })
  }
  return ofProcess
}

export interface HttpRequestSeen {
  readonly method: string
  /** The pattern of the route, never an address: those are without end, and hold ids and secrets. */
  readonly route: string
  readonly status: number
  readonly seconds: number
}

export interface Metrics {
  readonly contentType: string
  began(): void
  answered(request: HttpRequestSeen): void
  /** In the text format of Prometheus. */
  text(seen: Snapshot, pools: readonly PoolLoad[]): Promise<string>
}

export function openMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const gauge = <const Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge<Label>({ name: `fixpoint_${name}`, help, labelNames, registers })
  const counter = <const Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter<Label>({ name: `fixpoint_${name}`, help, labelNames, registers })

  const requests = counter('http_requests_total', 'Requests answered.', 'method', 'route', 'status')
  const durations = new Histogram({
    name: 'fixpoint_http_request_duration_seconds',
    help: 'From the first byte of a request to the last of its answer.',
    labelNames: ['method', 'route'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const inFlight = gauge('http_requests_in_flight', 'Requests that are being answered.')
  gauge('build_info', 'The release and what runs it; always 1.', 'version', 'node').set(
    { version: packageJson.version, node: process.version },
    1,
  )

  const databaseUp = gauge('database_up', '1 while the database answers.')
  const connections = gauge('database_connections', 'Connections of this process.', 'pool', 'state')
  const databaseWaiting = gauge('database_waiting', 'Statements and transactions that wait for a connection.', 'pool')
  const replicaUp = gauge('database_replica_up', '1 while a replica takes reads.', 'pool')
  const replicaLag = gauge('database_replica_lag_bytes', 'How much of the log a replica has not replayed yet.', 'pool')
  const queueUp = gauge('queue_up', '1 while the queue answers.')
  const jobs = gauge('queue_jobs', 'Jobs that are kept, by what becomes of them.', 'queue', 'state')
  const oldestJob = gauge('queue_oldest_waiting_seconds', 'Age of the job that waits longest; 0 where none does.', 'queue')
  const completed = counter('queue_jobs_completed_total', 'Jobs done, by all workers.', 'queue')
  const failed = counter('queue_jobs_failed_total', 'Jobs that failed for good, by all workers.', 'queue')
  const workers = gauge('queue_workers', 'Processes that do the jobs of the queue.', 'queue')
  const withoutWorker = gauge('queue_without_worker', '1 when the queue has had no worker for a minute.', 'queue')
  const pending = gauge('effects_owed', 'Effects of events that are not done yet.', 'handler')
  const oldestPending = gauge(
    'effects_oldest_owed_seconds',
    'Since the event of the longest pending effect; 0 where none is.',
    'handler',
  )
  const dead = gauge('effects_dead', 'Effects that failed for about a day and are tried no more.', 'handler')
  const mailsSent = gauge('mails_sent_last_hour', 'Mails that the mail server took within the last hour.')
  const mailsRefused = gauge('mails_refused_last_hour', 'Mails that a mail server refused for good within the last hour.')
  const mailsUnwanted = gauge(
    'mails_unwanted_last_hour',
    'Mails given up within the last hour because nobody wanted them any more.',
  )
  const mailsOpen = gauge('mails_open', 'Mails that are neither sent nor given up.')
  const oldestMail = gauge('mails_oldest_open_seconds', 'Since the event of the mail that waits longest; 0 where none does.')
  const archiveLate = gauge('archive_late_seconds', 'By how much the issue is late that should be archived first.')
  const cellChanges = gauge(
    'pyramid_changes_waiting',
    'Changes that are not added up; totals are right with any number, and slower with many.',
  )
  const ofEffects = [pending, oldestPending, dead]
  /** Those that say nothing while what they tell of is away, where an old number would look like a new one. */
  const ofSnapshot = [jobs, oldestJob, completed, failed, workers, withoutWorker, ...ofEffects]
  const withoutLabels = [mailsSent, mailsRefused, mailsUnwanted, mailsOpen, oldestMail, archiveLate, cellChanges]

  function show(seen: Snapshot, pools: readonly PoolLoad[]): void {
    for (const metric of [...ofSnapshot, connections, databaseWaiting, replicaUp, replicaLag]) metric.reset()
    for (const metric of withoutLabels) metric.remove({})
    databaseUp.set(seen.isDatabaseUp ? 1 : 0)
    queueUp.set(seen.isQueueUp ? 1 : 0)
    for (const { name: pool, total, idle, waiting } of pools) {
      connections.set({ pool, state: 'idle' }, idle)
      connections.set({ pool, state: 'busy' }, total - idle)
      databaseWaiting.set({ pool }, waiting)
    }
    for (const { name: pool, isUp, lag_bytes } of seen.replicas) {
      replicaUp.set({ pool }, isUp ? 1 : 0)
      if (typeof lag_bytes === 'number') replicaLag.set({ pool }, lag_bytes)
    }
    for (const [queue, sight] of seen.queues ?? []) {
      for (const state of ['waiting', 'active', 'delayed', 'failed'] as const) jobs.set({ queue, state }, sight[state])
      oldestJob.set({ queue }, sight.oldest_waiting_s ?? 0)
      completed.inc({ queue }, sight.completed_total)
      failed.inc({ queue }, sight.failed_total)
    }
    for (const [queue, sight] of seen.workers ?? []) {
      workers.set({ queue }, sight.workers)
      withoutWorker.set({ queue }, sight.without_worker_s >= ALARM_AFTER.withoutWorker ? 1 : 0)
    }
    if (seen.effects) {
      for (const handler of Object.keys(handlerContracts)) for (const metric of ofEffects) metric.set({ handler }, 0)
    }
    for (const { handler, ...counts } of seen.effects ?? []) {
      pending.set({ handler }, counts.pending)
      oldestPending.set({ handler }, counts.oldest_pending_s ?? 0)
      dead.set({ handler }, counts.dead)
    }
    if (seen.mails) {
      mailsSent.set(seen.mails.sent_last_hour)
      mailsRefused.set(seen.mails.refused_last_hour)
      mailsUnwanted.set(seen.mails.unwanted_last_hour)
      mailsOpen.set(seen.mails.open)
      oldestMail.set(seen.mails.oldest_open_s ?? 0)
    }
    if (seen.archive_late_s !== undefined) archiveLate.set(seen.archive_late_s)
    if (seen.cell_changes !== undefined) cellChanges.set(seen.cell_changes)
  }

  const all = Registry.merge([registry, processMetrics()])
  return {
    contentType: all.contentType,
    began: () => inFlight.inc(),
    answered({ method, route, status, seconds }) {
      inFlight.dec()
      requests.inc({ method, route, status: String(status) })
      durations.observe({ method, route }, seconds)
    },
    text: (seen, pools) => {
      show(seen, pools)
      return all.metrics()
    },
  }
}
