import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

import { deliveryHandlerDefinitions } from '../queue/job-definitions.ts'
import packageJson from '../../package.json' with { type: 'json' }
import help from './metrics.json' with { type: 'json' }
import type { PoolLoad } from '../database/database.ts'
import { ALARM_AFTER } from './health.ts'
import type { Snapshot } from './snapshot.ts'

type MetricName = keyof typeof help
const metricNames = Object.keys(help) as MetricName[]

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

export type Metrics = ReturnType<typeof openMetrics>

type Labels = Readonly<Record<string, string | number>>
type Sample = readonly [name: MetricName, value: number | null | undefined, labels?: Labels]

export function openMetrics() {
  const registry = new Registry()
  const describe = (name: MetricName) => ({ name: `fixpoint_${name}`, help: help[name], registers: [registry] })
  const requests = new Counter({ ...describe('http_requests_total'), labelNames: ['method', 'route', 'status'] })
  const durations = new Histogram({
    ...describe('http_request_duration_seconds'),
    labelNames: ['method', 'route'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  })
  const inFlight = new Gauge(describe('http_requests_in_flight'))
  const streams = new Gauge(describe('change_streams'))
  const build = new Gauge({ ...describe('build_info'), labelNames: ['version', 'node_version'] })
  build.set({ version: packageJson.version, node_version: process.version }, 1)

  /** The metrics are made anew for each scrape, so that a source that is down shows no outdated value. */
  async function formatSamples(samples: readonly Sample[]): Promise<string> {
    const scraped = new Registry()
    for (const name of metricNames) {
      const options = { ...describe(name), registers: [scraped] }
      if (registry.getSingleMetric(options.name)) continue
      const own = samples.filter(([one, value]) => one === name && typeof value === 'number')
      const labelNames = Object.keys(own[0]?.[2] ?? {})
      const metric = new (name.endsWith('_total') ? Counter : Gauge)({ ...options, labelNames })
      // A new one without labels has the value 0.
      metric.remove({})
      for (const [, value, labels = {}] of own) metric.inc(labels, value ?? 0)
    }
    return scraped.metrics()
  }

  const all = Registry.merge([registry, processMetrics()])
  return {
    contentType: all.contentType,
    /** @param waits for a change, which may take an hour: it counts neither as in flight nor in the times of responses */
    requestStarted: (waits: boolean) => (waits ? streams : inFlight).inc(),
    requestFinished({ method, route, status, seconds, waits }: ObservedRequest) {
      ;(waits ? streams : inFlight).dec()
      requests.inc({ method, route, status: String(status) })
      if (!waits) durations.observe({ method, route }, seconds)
    },
    /** Counts a request that was refused before its route was known. */
    requestRefused: (method: string) => requests.inc({ method, route: 'none', status: '503' }),
    text: async (snapshot: Readings, pools: readonly PoolLoad[]) =>
      `${await all.metrics()}\n${await formatSamples([...toSamples(snapshot, pools)])}`,
  }
}

/** Metrics of sources that did not answer have no samples. */
function* toSamples(snapshot: Readings, pools: readonly PoolLoad[]): Generator<Sample> {
  yield ['database_up', Number(snapshot.isDatabaseUp)]
  yield ['queue_up', Number(snapshot.isQueueUp)]
  for (const { name: pool, total, idle, waiting } of pools) {
    yield ['database_connections', idle, { pool, state: 'idle' }]
    yield ['database_connections', total - idle, { pool, state: 'used' }]
    yield ['database_pending_requests', waiting, { pool }]
  }
  for (const { name: pool, isUp, lag_bytes } of snapshot.replicas ?? []) {
    yield ['database_replica_up', Number(isUp), { pool }]
    yield ['database_replica_lag_bytes', lag_bytes, { pool }]
  }
  for (const [server, isUp] of snapshot.servers ?? []) yield ['server_up', Number(isUp), { server }]
  for (const [queue, state] of snapshot.queues ?? []) {
    for (const jobState of ['waiting', 'active', 'delayed', 'failed'] as const)
      yield ['queue_jobs', state[jobState], { queue, state: jobState }]
    yield ['queue_oldest_waiting_job_age_seconds', state.oldest_waiting_s ?? 0, { queue }]
    for (const outcome of ['completed', 'failed'] as const)
      yield ['queue_jobs_finished_total', state[`${outcome}_total`], { queue, outcome }]
  }
  for (const [queue, state] of snapshot.workers ?? []) {
    yield ['queue_workers', state.workers, { queue }]
    yield ['queue_without_worker', Number(state.without_worker_s >= ALARM_AFTER.withoutWorker), { queue }]
  }
  const { deliveries } = snapshot
  const handlers = new Set([...Object.keys(deliveryHandlerDefinitions), ...(deliveries ?? []).map(({ handler }) => handler)])
  for (const handler of deliveries ? handlers : []) {
    const counts = deliveries?.find((one) => one.handler === handler)
    yield ['outbox_pending_deliveries', counts?.pending ?? 0, { handler }]
    yield ['outbox_oldest_pending_age_seconds', counts?.oldest_pending_s ?? 0, { handler }]
    yield ['outbox_dead_letters', counts?.dead ?? 0, { handler }]
  }
  for (const { organization_id, poll_failures } of snapshot.endpoints ?? [])
    yield ['forwarding_poll_failures', poll_failures, { organization_id }]
  for (const [state, count] of Object.entries(snapshot.webhooks ?? {})) yield ['webhooks', count, { state }]
  const { mails, mail_totals } = snapshot
  yield ['mails_pending', mails?.pending]
  yield ['mails_retried', mails?.retried]
  yield ['mails_oldest_pending_age_seconds', mails && (mails.oldest_pending_s ?? 0)]
  yield ['mails_oldest_due_age_seconds', mails && (mails.oldest_due_s ?? 0)]
  for (const outcome of ['sent', 'rejected', 'cancelled'] as const) yield ['mails_total', mail_totals?.[outcome], { outcome }]
  for (const [command, age] of snapshot.report_ages ?? []) yield ['report_age_seconds', age, { command }]
  yield ['archive_delay_seconds', snapshot.archive_delay_s]
  yield ['pyramid_pending_changes', snapshot.cell_changes]
}
