import { describe, expect, it, vi } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { noticeFailover } from '../../jobs/handlers/batch-jobs.ts'
import { assessHealth } from '../../src/ops/health.ts'
import { type Snapshot, createSnapshotReader } from '../../src/ops/snapshot.ts'
import { engine } from '../helpers/database.ts'
import { useApp } from '../helpers/use-app.ts'
import { silentLog } from '../jobs/log.ts'
import { createMailer } from '../jobs/mails.ts'
import { createDeadLetter, createEvent, createWorker, openOpsApp, withUptime } from './ops-app.ts'
import { textOf } from '../docs/commands.ts'
import { readScrape } from './prometheus.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
const away = () => Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }))

describe('GET /metrics', () => {
  it('returns metrics of the process, HTTP, pools and outbox in the Prometheus format', async () => {
    const ada = await app.create.user()
    await createDeadLetter(app.db, ada.id)
    await createEvent(app.db, ada.id)
    const { ask, anonymous } = await openOpsApp(app.db)
    await anonymous.get('/issues/4711?secret=words')
    await anonymous.get('/changes')

    const answer = await ask('/metrics')
    const { types, samples } = readScrape(answer.text)

    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(types.get('fixpoint_http_request_duration_seconds')).toBe('histogram')
    expect(types.get('process_cpu_seconds_total')).toBe('counter')
    expect(Object.fromEntries(samples)).toMatchObject({
      'fixpoint_http_requests_total{method="GET",route="/api/v2/issues/:id",status="404"}': 1,
      fixpoint_http_requests_in_flight: 1,
      fixpoint_change_streams: 0,
      fixpoint_database_up: 1,
      'fixpoint_outbox_pending_deliveries{handler="notify"}': 1,
      'fixpoint_outbox_dead_letters{handler="notify"}': 1,
      'fixpoint_outbox_dead_letters{handler="create-smaller-images"}': 0,
      fixpoint_mails_pending: 0,
    })
    expect(answer.text).toMatch(/^fixpoint_database_pending_requests\{pool="\w+"\} 0$/m)
    expect(answer.text).not.toMatch(/secret|4711|duration_seconds\w*\{[^}]*changes/)
  })

  it('returns the metrics of the table in docs/operations.md, with their types', async () => {
    const { ask } = await openOpsApp(app.db)
    const documented = [...textOf('docs/operations.md').matchAll(/^\| `(fixpoint_\w+)` \| (\w+) \|/gm)]

    const { types } = readScrape((await ask('/metrics')).text)

    const own = [...types].filter(([name]) => name.startsWith('fixpoint_'))
    expect(documented.map(([, name, type]) => [name, type]).sort()).toEqual(own.sort())
  })

  it('counts mails that were finished since the start of the process', async () => {
    const ada = await app.create.user()
    const event = await createEvent(app.db, ada.id)
    const { ask } = await openOpsApp(app.db)
    await app.db.execute(sql`
      INSERT INTO mails (kind, event_id, email_address_id, sent_at)
      SELECT 'account', ${event}, e.id, now() - interval '5 seconds' FROM email_addresses e WHERE e.user_id = ${ada.id}`)

    const { samples } = readScrape((await ask('/metrics')).text)

    const outcomes = ['sent', 'rejected', 'cancelled']
    expect(outcomes.map((outcome) => samples.get(`fixpoint_mails_total{outcome="${outcome}"}`))).toEqual([1, 0, 0])
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
    const { ask } = await openOpsApp(app.db, { db: { ...app.db, replicas } })

    const { samples } = readScrape((await ask('/metrics')).text)
    const { alarms, checks } = (await ask('/ops/health')).body as ReturnType<typeof assessHealth>

    const replicaSamples = (name: string) =>
      [1, 2, 3, 4, 5].map((n) => samples.get(`fixpoint_database_replica_${name}{pool="replica ${n}"}`))
    expect(replicaSamples('up')).toEqual([1, 1, 1, 0, 0])
    expect(replicaSamples('lag_bytes')).toEqual([255 * MB, 256 * MB, undefined, 0, undefined])
    expect(alarms.filter((alarm) => alarm.startsWith('replica'))).toEqual([
      'replica 2: it is 256 MB behind',
      'replica 3: it is not a standby, so users would not see their own changes there',
      'replica 4: it serves no reads',
      'replica 5: it serves no reads',
    ])
    expect(checks.replicas['replica 5']).toEqual({ status: 'alarm', is_up: false, lag_bytes: null })
  })

  it('counts webhooks by the result of their last message, and warns of those that fail', async () => {
    const ada = await app.create.user()
    const { ask } = await openOpsApp(app.db)
    const createWebhook = (is_active: boolean, failing_since: Date | null) =>
      app.db.prisma.webhook.create({
        data: {
          ...{ user_id: ada.id, url: 'https://example.org/hook', query: '', kinds: ['created'], signature: 'v1', secret: 'x' },
          ...{ is_active, failing_since },
        },
      })
    await createWebhook(false, null)
    await createWebhook(true, new Date())
    await createWebhook(true, new Date())
    await createWebhook(false, new Date())

    const alone = (await ask('/ops/health')).body as ReturnType<typeof assessHealth>
    await createWebhook(true, null)
    const later = await openOpsApp(app.db)
    const { samples } = readScrape((await later.ask('/metrics')).text)
    const health = (await later.ask('/ops/health')).body as ReturnType<typeof assessHealth>

    expect(['working', 'failing', 'stopped'].map((state) => samples.get(`fixpoint_webhooks{state="${state}"}`))).toEqual([1, 2, 1])
    expect(alone.warnings).toContain('webhooks: 2 failing, 1 stopped, 0 working: check that workers reach other servers')
    expect(health.warnings).toContain('webhooks: 2 failing, 1 stopped, 1 working')
    expect(health.alarms.filter((alarm) => alarm.startsWith('webhooks'))).toEqual([])
  })

  it('reports a queue without a worker after one minute', async () => {
    await createWorker(app.db, ['mails', 'media', 'archive'], 1)
    await createWorker(app.db, ['events', 'moderation'], 40)
    await createWorker(app.db, ['notifications'], 61)
    const { ask } = await openOpsApp(app.db, { db: withUptime(app.db, 3_600) })

    const { samples } = readScrape((await ask('/metrics')).text)
    const queueSamples = (name: string) =>
      ['mails', 'moderation', 'notifications'].map((queue) => samples.get(`fixpoint_queue_${name}{queue="${queue}"}`))

    expect(queueSamples('workers')).toEqual([1, 0, 0])
    expect(queueSamples('without_worker')).toEqual([0, 0, 1])
  })

  it('counts the time without a worker from the start of the database at the earliest', async () => {
    await createWorker(app.db, ['mails'], 5_000)
    const started = createSnapshotReader({ ...app.services, db: withUptime(app.db, 10) })
    const [uptime] = await queryRows<{ s: number }>(
      app.db,
      sql`
      SELECT extract(epoch FROM now() - pg_postmaster_start_time())::float8 AS s`,
    )

    const withoutWorker_s = (snapshot: Snapshot) => snapshot.workers?.get('mails')?.without_worker_s
    const afterRestart = await started()
    const now = withoutWorker_s(await createSnapshotReader(app.services)()) ?? 0

    expect(withoutWorker_s(afterRestart)).toBe(10)
    expect(afterRestart.workers?.get('media')?.without_worker_s).toBeLessThan(10)
    expect(assessHealth(afterRestart).alarms.filter((alarm) => alarm.includes('no worker'))).toEqual([])
    expect(now).toBeGreaterThan(0)
    expect(Math.abs(now - Math.min(5_000, uptime?.s ?? 0))).toBeLessThan(5)
  })

  it('reports that the database is unreachable and omits its metrics', async () => {
    const db = { ...app.db, ping: away, query: away, reader: { query: away } }
    const { ask } = await openOpsApp(app.db, { db })

    const { samples } = readScrape((await ask('/metrics')).text)

    expect([samples.get('fixpoint_database_up'), samples.get('fixpoint_queue_up')]).toEqual([0, 0])
    expect([...samples.keys()].filter((name) => /outbox|mails|workers|archive/.test(name))).toEqual([])
    expect(samples.get('fixpoint_http_requests_in_flight')).toBe(1)
  })

  it.runIf(engine === 'server')('asks for npm run verify after a failover', async () => {
    const services = { ...app.services, ...createMailer(), log: silentLog, queue: { enqueue: () => Promise.resolve('') } }
    await app.db.execute(sql`SELECT begin_cell_generation_after_restore()`)
    await noticeFailover({}, services)
    const { ask } = await openOpsApp(app.db, { files: app.services.files })
    const warnings = async () => ((await ask('/ops/health')).body as ReturnType<typeof assessHealth>).warnings
    const before = await warnings()
    await app.db.execute(sql`UPDATE table_versions SET version = gen_random_uuid() WHERE name = 'cells of database'`)

    await noticeFailover({}, services)

    const later = await openOpsApp(app.db, { files: app.services.files })
    const after = ((await later.ask('/ops/health')).body as ReturnType<typeof assessHealth>).warnings
    const request = expect.stringContaining('run "npm run verify"') as string
    expect(before).not.toContainEqual(request)
    expect(after).toContainEqual(request)
  })

  it('queries the database once for concurrent requests', async () => {
    const ping = vi.fn(app.db.ping)
    const { ask } = await openOpsApp(app.db, { db: { ...app.db, ping } })

    await Promise.all([ask('/metrics'), ask('/metrics'), ask('/ops/health'), ask('/ops')])

    expect(ping).toHaveBeenCalledTimes(1)
  })
})
