import { describe, expect, it, vi } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { assessHealth } from '../../src/ops/health.ts'
import { type Snapshot, snapshotReader } from '../../src/ops/snapshot.ts'
import { useApp } from '../helpers/use-app.ts'
import { givenDead, givenEvent, givenWorker, opsApp, upFor } from './given.ts'
import { readScrape } from './prometheus.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
const away = () => Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }))

describe('GET /metrics', () => {
  it('returns metrics of the process, HTTP, pools and outbox in the Prometheus format', async () => {
    const ada = await app.create.user()
    await givenDead(app.db, ada.id)
    await givenEvent(app.db, ada.id)
    const { ask, anonymous } = await opsApp(app.db)
    await anonymous.get('/issues/4711?secret=words')

    const answer = await ask('/metrics')
    const { types, samples } = readScrape(answer.text)

    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(types.get('fixpoint_http_request_duration_seconds')).toBe('histogram')
    expect(types.get('process_cpu_seconds_total')).toBe('counter')
    expect(Object.fromEntries(samples)).toMatchObject({
      'fixpoint_http_requests_total{method="GET",route="/api/v2/issues/:id",status="404"}': 1,
      fixpoint_http_requests_in_flight: 1,
      fixpoint_database_up: 1,
      'fixpoint_outbox_pending_deliveries{handler="send-mails"}': 1,
      'fixpoint_outbox_dead_letters{handler="send-mails"}': 1,
      'fixpoint_outbox_dead_letters{handler="shrink-picture"}': 0,
      fixpoint_mails_pending: 0,
    })
    expect(answer.text).toMatch(/^fixpoint_database_pending_requests\{pool="\w+"\} 0$/m)
    expect(answer.text).not.toMatch(/secret|4711/)
  })

  it('reports status and lag of each replica, and no lag of one that is unreachable', async () => {
    const replica = (n: number, up: boolean, lagBytes: () => Promise<number | null>) => ({
      name: `replica ${n}`,
      isUp: () => up,
      lagBytes,
    })
    const bytes = (lag: number | null) => () => Promise.resolve(lag)
    const MB = 1024 * 1024
    const replicas = [
      replica(1, true, bytes(255 * MB)),
      replica(2, true, bytes(256 * MB)),
      replica(3, true, bytes(null)),
      replica(4, false, bytes(0)),
      replica(5, true, away),
    ]
    const { ask } = await opsApp(app.db, { db: { ...app.db, replicas } })

    const { samples } = readScrape((await ask('/metrics')).text)
    const { alarms, checks } = (await ask('/ops/health')).body as ReturnType<typeof assessHealth>

    const told = (name: string) => [1, 2, 3, 4, 5].map((n) => samples.get(`fixpoint_database_replica_${name}{pool="replica ${n}"}`))
    expect(told('up')).toEqual([1, 1, 1, 0, 0])
    expect(told('lag_bytes')).toEqual([255 * MB, 256 * MB, undefined, 0, undefined])
    expect(alarms.filter((alarm) => alarm.startsWith('replica'))).toEqual([
      'replica 2: it is 256 MB behind',
      'replica 3: it is not a standby, so users would not see their own changes there',
      'replica 4: it serves no reads',
      'replica 5: it serves no reads',
    ])
    expect(checks.replicas['replica 5']).toEqual({ status: 'alarm', is_up: false, lag_bytes: null })
  })

  it('reports a queue without a worker after one minute', async () => {
    await givenWorker(app.db, ['mails', 'media', 'archive'], 1)
    await givenWorker(app.db, ['events', 'moderation'], 40)
    await givenWorker(app.db, ['notifications'], 61)
    const { ask } = await opsApp(app.db, { db: upFor(app.db, 3_600) })

    const { samples } = readScrape((await ask('/metrics')).text)
    const told = (name: string) =>
      ['mails', 'moderation', 'notifications'].map((queue) => samples.get(`fixpoint_queue_${name}{queue="${queue}"}`))

    expect(told('workers')).toEqual([1, 0, 0])
    expect(told('without_worker')).toEqual([0, 0, 1])
  })

  it('counts the time without a worker from the start of the database at the earliest', async () => {
    await givenWorker(app.db, ['mails'], 5_000)
    const started = snapshotReader({ ...app.services, db: upFor(app.db, 10) })
    const [really] = await queryRows<{ s: number }>(
      app.db,
      sql`
      SELECT extract(epoch FROM now() - pg_postmaster_start_time())::float8 AS s`,
    )

    const told = (seen: Snapshot) => seen.workers?.get('mails')?.without_worker_s
    const soon = await started()
    const now = told(await snapshotReader(app.services)()) ?? 0

    expect(told(soon)).toBe(10)
    expect(soon.workers?.get('media')?.without_worker_s).toBeLessThan(10)
    expect(assessHealth(soon).alarms.filter((alarm) => alarm.includes('no worker'))).toEqual([])
    expect(now).toBeGreaterThan(0)
    expect(Math.abs(now - Math.min(5_000, really?.s ?? 0))).toBeLessThan(5)
  })

  it('reports that the database is unreachable and omits its metrics', async () => {
    const db = { ...app.db, ping: away, query: away, read: away }
    const { ask } = await opsApp(app.db, { db })

    const { samples } = readScrape((await ask('/metrics')).text)

    expect([samples.get('fixpoint_database_up'), samples.get('fixpoint_queue_up')]).toEqual([0, 0])
    expect([...samples.keys()].filter((name) => /outbox|mails|workers|archive/.test(name))).toEqual([])
    expect(samples.get('fixpoint_http_requests_in_flight')).toBe(1)
  })

  it('queries the database once for concurrent requests', async () => {
    const ping = vi.fn(app.db.ping)
    const { ask } = await opsApp(app.db, { db: { ...app.db, ping } })

    await Promise.all([ask('/metrics'), ask('/metrics'), ask('/ops/health'), ask('/ops')])

    expect(ping).toHaveBeenCalledTimes(1)
  })
})
