import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

import { deliveryHandlerDefinitions } from '../queue/job-definitions.ts'
import packageJson from '../../package.json' with { type: 'json' }
import help from './metrics.json' with { type: 'json' }
import type { PoolLoad } from '../database/database.ts'
import { ALARM_AFTER } from './health.ts'
import type { Snapshot } from './snapshot.ts'

type MetricName = keyof typeof help

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
  readonly waits: boolean
}

/** Metrics of sources that are left out have no samples. */
type Readings = Pick<Snapshot, 'isDatabaseUp' | 'isQueueUp'> & Partial<Snapshot>

export interface Metrics {
  readonly contentType: string
  /** @param waits for a change, which may take an hour: it counts neither as in flight nor in the times of responses */
  requestStarted(waits: boolean): void
  requestFinished(request: ObservedRequest): void
  /** Counts a request that was refused before its route was known. */
  requestRefused(method: string): void
  text(snapshot: Readings, pools: readonly PoolLoad[]): Promise<string>
}

export function openMetrics(): Metrics {
  const registry = new Registry()
  const describe = (name: MetricName) => ({ name: `fixpoint_${name}`, help: help[name], registers: [registry] })
  const gauge = <const Label extends string>(name: MetricName, ...labelNames: Label[]) =>
    new Gauge<Label>({ ...describe(name), labelNames })
  const counter = <const Label extends string>(name: MetricName, ...labelNames: Label[]) =>
    new Counter<Label>({ ...describe(name), labelNames })

  const requests = counter('http_requests_total', 'method', 'route', 'status')
  const durations = new Histogram({
    ...describe('http_request_duration_seconds'),
    labelNames: ['method', 'route'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  })
  const inFlight = gauge('http_requests_in_flight')
  const streams = gauge('change_streams')
  gauge('build_info', 'version', 'node_version').set({ version: packageJson.version, node_version: process.version }, 1)

  const databaseUp = gauge('database_up')
  const connections = gauge('database_connections', 'pool', 'state')
  const pendingRequests = gauge('database_pending_requests', 'pool')
  const replicaUp = gauge('database_replica_up', 'pool')
  const replicaLag = gauge('database_replica_lag_bytes', 'pool')
  const serverUp = gauge('server_up', 'server')
  const queueUp = gauge('queue_up')
  const jobs = gauge('queue_jobs', 'queue', 'state')
  const oldestJob = gauge('queue_oldest_waiting_job_age_seconds', 'queue')
  const finished = counter('queue_jobs_finished_total', 'queue', 'outcome')
  const workers = gauge('queue_workers', 'queue')
  const withoutWorker = gauge('queue_without_worker', 'queue')
  const pending = gauge('outbox_pending_deliveries', 'handler')
  const oldestPending = gauge('outbox_oldest_pending_age_seconds', 'handler')
  const deadLetters = gauge('outbox_dead_letters', 'handler')
  const pollFailures = gauge('forwarding_poll_failures', 'organization_id')
  const mails = counter('mails_total', 'outcome')
  const mailsPending = gauge('mails_pending')
  const oldestMail = gauge('mails_oldest_pending_age_seconds')
  const mailsRetried = gauge('mails_retried')
  const oldestDueMail = gauge('mails_oldest_due_age_seconds')
  const archiveDelay = gauge('archive_delay_seconds')
  const cellChanges = gauge('pyramid_pending_changes')
  const reportAge = gauge('report_age_seconds', 'command')
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
    requestStarted: (waits) => (waits ? streams : inFlight).inc(),
    requestFinished({ method, route, status, seconds, waits }) {
      ;(waits ? streams : inFlight).dec()
      requests.inc({ method, route, status: String(status) })
      if (!waits) durations.observe({ method, route }, seconds)
    },
    requestRefused: (method) => requests.inc({ method, route: 'none', status: '503' }),
    text: (snapshot, pools) => {
      update(snapshot, pools)
      return all.metrics()
    },
  }
}
