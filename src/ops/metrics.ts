import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

import { deliveryHandlerDefinitions } from '../queue/job-definitions.ts'
import packageJson from '../../package.json' with { type: 'json' }
import type { PoolLoad } from '../database/database.ts'
import { ALARM_AFTER } from './health.ts'
import type { Snapshot } from './snapshot.ts'

/** The process has one registry; a second one would count everything twice. */
let processRegistry: Registry | undefined

function processMetrics(): Registry {
  if (!processRegistry) {
    processRegistry = new Registry()
    collectDefaultMetrics({ register: processRegistry })
  }
  return processRegistry
}

interface ObservedRequest {
  readonly method: string
  /** The pattern of the route is bounded; URLs are not, and contain ids and secrets. */
  readonly route: string
  readonly status: number
  readonly seconds: number
}

/** Metrics of sources that are left out have no samples. */
type Readings = Pick<Snapshot, 'isDatabaseUp' | 'isQueueUp'> & Partial<Snapshot>

export interface Metrics {
  readonly contentType: string
  requestStarted(): void
  requestFinished(request: ObservedRequest): void
  /** Counts a request that was refused before its route was known. */
  requestRefused(method: string): void
  text(snapshot: Readings, pools: readonly PoolLoad[]): Promise<string>
}

export function openMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const gauge = <const Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge<Label>({ name: `fixpoint_${name}`, help, labelNames, registers })
  const counter = <const Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter<Label>({ name: `fixpoint_${name}`, help, labelNames, registers })

  const requests = counter('http_requests_total', 'Requests that were answered.', 'method', 'route', 'status')
  const durations = new Histogram({
    name: 'fixpoint_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its response.',
    labelNames: ['method', 'route'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const inFlight = gauge('http_requests_in_flight', 'Requests that are being answered.')
  gauge('build_info', 'Versions of the release and of Node; always 1.', 'version', 'node_version').set(
    { version: packageJson.version, node_version: process.version },
    1,
  )

  const databaseUp = gauge('database_up', '1 if the database answers.')
  const connections = gauge('database_connections', 'Connections of this process.', 'pool', 'state')
  const pendingRequests = gauge('database_pending_requests', 'Statements and transactions that wait for a connection.', 'pool')
  const replicaUp = gauge('database_replica_up', '1 if the replica serves reads.', 'pool')
  const replicaLag = gauge(
    'database_replica_lag_bytes',
    'Size of the part of the write-ahead log that the replica has not replayed yet.',
    'pool',
  )
  const serverUp = gauge('server_up', '1 if the storage, mail server or geocoder of the settings answers.', 'server')
  const queueUp = gauge('queue_up', '1 if the queue answers.')
  const jobs = gauge('queue_jobs', 'Stored jobs by state.', 'queue', 'state')
  const oldestJob = gauge('queue_oldest_waiting_job_age_seconds', 'Age of the oldest waiting job; 0 if there is none.', 'queue')
  const finished = counter(
    'queue_jobs_finished_total',
    'Jobs of all workers that were completed, or failed in all attempts.',
    'queue',
    'outcome',
  )
  const workers = gauge('queue_workers', 'Worker processes of the queue.', 'queue')
  const withoutWorker = gauge('queue_without_worker', '1 if the queue has had no worker for a minute.', 'queue')
  const pending = gauge('outbox_pending_deliveries', 'Outbox deliveries that are not done yet.', 'handler')
  const oldestPending = gauge(
    'outbox_oldest_pending_age_seconds',
    'Age of the event of the oldest pending delivery; 0 if there is none.',
    'handler',
  )
  const deadLetters = gauge('outbox_dead_letters', 'Deliveries that failed for about a day and are no longer retried.', 'handler')
  const pollFailures = gauge(
    'forwarding_poll_failures',
    'Failed polls of the Open311 endpoint of an organisation since the last one that succeeded.',
    'organization_id',
  )
  const mails = counter(
    'mails_total',
    'Mails of all workers since the start of this process: sent, rejected by a mail server, or cancelled because they were no longer wanted.',
    'outcome',
  )
  const mailsPending = gauge('mails_pending', 'Mails that are neither sent nor failed.')
  const oldestMail = gauge('mails_oldest_pending_age_seconds', 'Age of the event of the oldest pending mail; 0 if there is none.')
  const mailsRetried = gauge('mails_retried', 'Pending mails that were tried before.')
  const oldestDueMail = gauge(
    'mails_oldest_due_age_seconds',
    'Time for which a mail has been due that no worker sends; 0 if there is none.',
  )
  const archiveDelay = gauge('archive_delay_seconds', 'Delay of the issue whose archiving is overdue for the longest time.')
  const cellChanges = gauge(
    'pyramid_pending_changes',
    'Changes that are not rolled up yet; totals are correct with any number, and slower with many.',
  )
  const reportAge = gauge('report_age_seconds', 'Time since npm run backup, or the drill of a restore, last succeeded.', 'command')
  const deliveryGauges = [pending, oldestPending, deadLetters]
  /** The values are reset for each scrape, so that a source that is down shows no outdated value. */
  const snapshotMetrics = [jobs, oldestJob, finished, workers, withoutWorker, pollFailures, mails, reportAge, ...deliveryGauges]
  const unlabelled = [mailsPending, mailsRetried, oldestMail, oldestDueMail, archiveDelay, cellChanges]

  function update(snapshot: Readings, pools: readonly PoolLoad[]): void {
    for (const metric of [...snapshotMetrics, connections, pendingRequests, replicaUp, replicaLag, serverUp]) metric.reset()
    for (const metric of unlabelled) metric.remove({})
    databaseUp.set(snapshot.isDatabaseUp ? 1 : 0)
    queueUp.set(snapshot.isQueueUp ? 1 : 0)
    for (const { name: pool, total, idle, waiting } of pools) {
      connections.set({ pool, state: 'idle' }, idle)
      connections.set({ pool, state: 'used' }, total - idle)
      pendingRequests.set({ pool }, waiting)
    }
    for (const { name: pool, isUp, lag_bytes } of snapshot.replicas ?? []) {
      replicaUp.set({ pool }, isUp ? 1 : 0)
      if (typeof lag_bytes === 'number') replicaLag.set({ pool }, lag_bytes)
    }
    for (const [server, isUp] of snapshot.servers ?? []) serverUp.set({ server }, isUp ? 1 : 0)
    for (const [queue, state] of snapshot.queues ?? []) {
      for (const jobState of ['waiting', 'active', 'delayed', 'failed'] as const)
        jobs.set({ queue, state: jobState }, state[jobState])
      oldestJob.set({ queue }, state.oldest_waiting_s ?? 0)
      finished.inc({ queue, outcome: 'completed' }, state.completed_total)
      finished.inc({ queue, outcome: 'failed' }, state.failed_total)
    }
    for (const [queue, state] of snapshot.workers ?? []) {
      workers.set({ queue }, state.workers)
      withoutWorker.set({ queue }, state.without_worker_s >= ALARM_AFTER.withoutWorker ? 1 : 0)
    }
    if (snapshot.deliveries) {
      for (const handler of Object.keys(deliveryHandlerDefinitions)) for (const metric of deliveryGauges) metric.set({ handler }, 0)
    }
    for (const { handler, ...counts } of snapshot.deliveries ?? []) {
      pending.set({ handler }, counts.pending)
      oldestPending.set({ handler }, counts.oldest_pending_s ?? 0)
      deadLetters.set({ handler }, counts.dead)
    }
    for (const { organization_id, poll_failures } of snapshot.endpoints ?? []) pollFailures.set({ organization_id }, poll_failures)
    if (snapshot.mails) {
      mailsPending.set(snapshot.mails.pending)
      oldestMail.set(snapshot.mails.oldest_pending_s ?? 0)
      mailsRetried.set(snapshot.mails.retried)
      oldestDueMail.set(snapshot.mails.oldest_due_s ?? 0)
    }
    for (const outcome of ['sent', 'rejected', 'cancelled'] as const)
      if (snapshot.mail_totals) mails.inc({ outcome }, snapshot.mail_totals[outcome])
    for (const [command, age] of snapshot.report_ages ?? []) reportAge.set({ command }, age)
    if (snapshot.archive_delay_s !== undefined) archiveDelay.set(snapshot.archive_delay_s)
    if (snapshot.cell_changes !== undefined) cellChanges.set(snapshot.cell_changes)
  }

  const all = Registry.merge([registry, processMetrics()])
  return {
    contentType: all.contentType,
    requestStarted: () => inFlight.inc(),
    requestFinished({ method, route, status, seconds }) {
      inFlight.dec()
      requests.inc({ method, route, status: String(status) })
      durations.observe({ method, route }, seconds)
    },
    requestRefused: (method) => requests.inc({ method, route: 'none', status: '503' }),
    text: (snapshot, pools) => {
      update(snapshot, pools)
      return all.metrics()
    },
  }
}
