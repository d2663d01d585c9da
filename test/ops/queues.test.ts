import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { type JobQueue, openQueue } from '../../src/queue/queue.ts'
import { startWorker } from '../../jobs/run-worker.ts'
import { sql } from '../../src/database/database.ts'
import { resetDatabase } from '../helpers/database.ts'
import { createTemporaryFileStore } from '../jobs/files.ts'
import { createIssue } from '../jobs/create-issues.ts'
import { silentLog } from '../jobs/log.ts'
import { createMailer } from '../jobs/mails.ts'
import { type Place, places } from '../jobs/places.ts'
import type { TestApp } from '../helpers/use-app.ts'
import { createWorker, openOpsApp, opsBearer, withUptime } from './ops-app.ts'
import { readScrape } from './prometheus.ts'
import { queryRows } from '../helpers/query-rows.ts'

const SOON = { timeout: 60_000, interval: 50 }
const DAY_MS = 86_400_000
const ALL = ['events', 'moderation', 'notifications', 'mails', 'media', 'archive', 'forwarding', 'webhooks']
const sameOrigin = { 'sec-fetch-site': 'same-origin', origin: 'http://fixpoint.test' }

const API = '/ops/queues/api/queues'
const REFUSAL = 'The board cannot do this: the service itself creates the jobs.'
const WRITES = [
  ['POST', 'media/add'],
  ['PUT', 'media/obliterate'],
  ['PATCH', 'media/now/update-data'],
  ['PATCH', 'media/later/delay'],
  ['PATCH', 'media/now/priority'],
  ['PUT', 'media/later/promote'],
  ['PUT', 'media/promote'],
  ['PUT', 'media/now/clean'],
  ['PUT', 'media/clean/delayed'],
  ['PUT', 'pause'],
  ['PUT', 'media/concurrency'],
  ['PUT', 'media/rate-limit'],
  ['PATCH', 'media/job-schedulers/nightly'],
  ['PUT', 'media/job-schedulers/nightly/run'],
  ['PUT', 'media/job-schedulers/nightly/remove'],
  ['PUT', 'media/no/such/thing'],
] as const

/** Returns other spellings of a path that a router or a pattern might treat differently. */
function spellings(path: string): string[] {
  const last = path.lastIndexOf('/') + 1
  const encoded = `${path.slice(0, last)}%${path.charCodeAt(last).toString(16)}${path.slice(last + 1)}`
  const whole = [...path].map((letter) => (letter === '/' ? letter : `%${letter.charCodeAt(0).toString(16)}`)).join('')
  const upper = path.slice(0, last) + path.slice(last).toUpperCase()
  const slashes = path.replaceAll('/', '%2F')
  const bare = [path, encoded, whole, upper, slashes, `/${path}`, path.replace('/', '//'), `x/../${path}`, `${path};x`]
  return [...bare, ...bare.map((one) => `${one}/`), `${path}//`, `${path}?/retry`]
}

describe.each(places)('/ops with the queues in %s', (_, open) => {
  let place: Place
  let queue: JobQueue
  beforeAll(async () => {
    place = await open()
    queue = await openQueue(place.options, silentLog)
  })
  beforeEach(async () => {
    await resetDatabase(place.db)
    await Promise.all(Object.values(queue.queues).map((one) => one.obliterate({ force: true })))
  })
  afterAll(async () => {
    await queue.close()
    await place.close()
  })

  const db = () => place.db as TestApp['db']
  const app = () => openOpsApp(db(), { queue, db: withUptime(db(), 3_600) })
  const countFailed = () => queue.queues.media.getJobCountByTypes('failed')

  async function createFailingWorker(failures: number) {
    let left = failures
    const files = createTemporaryFileStore()
    const list: typeof files.list = async function* () {
      if (left-- > 0) throw new Error('cannot reach ada@example.org')
      yield* files.list()
    }
    const workerServices = { db: place.db, files: { ...files, list }, ...createMailer(), log: silentLog, clock: () => new Date() }
    const running = await startWorker(workerServices, place.options, { queues: ['media'], closeMax_ms: 1_500 })
    onTestFinished(() => running.close())
  }

  it('shows all queues with their jobs, masks addresses in errors and retries a failed job', async () => {
    await createFailingWorker(1)
    await queue.queues.media.add('delete-orphaned-files', {}, { jobId: 'broken' })
    await vi.waitFor(async () => expect(await countFailed()).toBe(1), SOON)
    const { ask, fastify: board } = await app()
    const put = (url: string, headers: Record<string, string>) =>
      board.inject({ method: 'PUT', url, headers: { 'user-agent': 'test', ...opsBearer, ...headers } })

    const page = await ask('/ops/queues')
    const list = await ask('/ops/queues/api/queues?activeQueue=media&status=failed&page=1&jobsPerPage=10')
    const overview = await ask('/ops', { ...opsBearer, accept: 'text/html' })
    const foreign = await put('/ops/queues/api/queues/media/broken/retry', { 'sec-fetch-site': 'cross-site' })
    const own = await put('/ops/queues/api/queues/media/broken/retry', sameOrigin)

    const { queues } = list.body as { queues: { name: string; jobs: { id: string; failedReason: string }[] }[] }
    expect(page.headers['content-security-policy']).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'",
    )
    expect(page.text).toContain('<base href="/ops/queues/" />')
    expect(page.text.match(/(?:https?:)?\/\/[\w.-]+/g)).toBeNull()
    expect(queues.map(({ name }) => name)).toEqual(ALL)
    expect(queues.find(({ name }) => name === 'media')?.jobs).toMatchObject([{ id: 'broken', failedReason: 'cannot reach …@…' }])
    expect(list.text).not.toContain('example.org')
    expect(overview.text).toContain('× <span lang="en">delete-orphaned-files: cannot reach …@…</span>')
    expect(overview.text).toContain('href="/ops/queues/queue/media?status=failed"')
    expect(overview.text).not.toContain('example.org')
    expect([foreign.statusCode, own.statusCode]).toEqual([403, 204])
    await vi.waitFor(async () => expect(await queue.queues.media.getJobCountByTypes('completed')).toBe(1), SOON)
    expect(await countFailed()).toBe(0)
  })

  it('pauses, resumes and drains a queue, whose waiting jobs are still counted', async () => {
    await queue.queues.media.add('delete-orphaned-files', {}, { jobId: 'waiting' })
    const { ask, fastify: board } = await app()
    const put = async (action: string) => {
      const headers = { 'user-agent': 'test', ...opsBearer, ...sameOrigin }
      return (await board.inject({ method: 'PUT', url: `${API}/media/${action}`, headers })).statusCode
    }

    const paused = [await put('pause'), await queue.queues.media.isPaused()]
    const { samples } = readScrape((await ask('/metrics')).text)
    const resumed = [await put('resume'), await queue.queues.media.isPaused()]
    const drained = [await put('empty'), await queue.queues.media.getJobCountByTypes('waiting')]

    expect([paused, resumed, drained]).toEqual([
      [200, true],
      [200, false],
      [200, 0],
    ])
    expect(samples.get('fixpoint_queue_jobs{queue="media",state="waiting"}')).toBe(1)
  })

  it('pauses, resumes and drains a queue and retries its failed jobs by the forms of /ops, after a confirmation', async () => {
    await createFailingWorker(1)
    await queue.queues.media.add('delete-orphaned-files', {}, { jobId: 'broken' })
    await vi.waitFor(async () => expect(await countFailed()).toBe(1), SOON)
    await queue.queues.archive.add('archive-closed-issues', {}, { jobId: 'waiting' })
    const { ask, post } = await app()
    const read = async (url: string) => (await ask(url, { accept: 'text/html' })).text
    const send = async (path: string) => {
      const { status, headers } = await post(`/ops/queue/${path}`, sameOrigin)
      return [status, headers['location']]
    }

    const page = await read('/ops')
    const question = await read('/ops/queue/archive/drain')
    const isUntouched = (await queue.queues.archive.getJobCountByTypes('waiting')) === 1
    const answers = [await send('archive/pause'), await send('media/retry')]
    const paused = await read('/ops')
    const isPaused = await queue.queues.archive.isPaused()
    answers.push(await send('archive/resume'), await send('archive/drain'))

    expect(page).toContain(
      '<button class="small" formaction="/ops/queue/media/retry" aria-label="Retry the failed jobs of media">Retry 1 failed job',
    )
    expect(page).toContain('href="/ops/queue/archive/pause" aria-label="Pause archive">')
    expect(question).toMatch(/<h1>Drain archive<\/h1>[^]+<form class="buttons" method="post"><button>Confirm/)
    expect(isUntouched).toBe(true)
    expect(answers).toEqual(Array.from({ length: 4 }, () => [303, '/ops']))
    expect(paused).toContain('<button class="small" formaction="/ops/queue/archive/resume" aria-label="Resume archive">Resume')
    expect([isPaused, await queue.queues.archive.isPaused()]).toEqual([true, false])
    expect(await queue.queues.archive.getJobCountByTypes('waiting')).toBe(0)
    await vi.waitFor(async () => expect(await queue.queues.media.getJobCountByTypes('completed')).toBe(1), SOON)
    expect(await send('media/obliterate')).toEqual([404, undefined])
    expect(await send('unknown/pause')).toEqual([404, undefined])
  })

  it('refuses the board to anonymous callers', async () => {
    const { anonymous } = await app()

    const statuses = await Promise.all(
      ['', '/', '/api/queues', '/static/favicon.ico'].map(
        async (path) => (await anonymous.send('GET', `/ops/queues${path}`)).status,
      ),
    )
    expect(statuses).toEqual([401, 401, 401, 401])
    expect((await anonymous.send('PUT', '/ops/queues/api/queues/media/empty')).status).toBe(401)
    expect((await anonymous.send('POST', '/ops/queue/media/drain')).status).toBe(401)
  })

  it('refuses every write of the board that is not listed, however the path is spelled', async () => {
    await queue.enqueue('delete-orphaned-files', {}, { id: 'now' })
    await queue.enqueue('delete-orphaned-files', {}, { id: 'later', delay_ms: 60_000 })
    const { fastify: board } = await app()
    const headers = { 'user-agent': 'test', ...opsBearer, ...sameOrigin, 'x-http-method-override': 'GET' }
    const payload = { name: 'delete-orphaned-files', data: {} }
    const requests = WRITES.flatMap(([method, path]) => spellings(path).map((spelling) => ({ method, url: `${API}/${spelling}` })))

    const answers = await Promise.all(requests.map((request) => board.inject({ ...request, headers, payload })))
    await Promise.all(
      WRITES.map(([method, path]) =>
        board.inject({ url: `${API}/${path}`, headers: { ...headers, 'x-http-method-override': method } }),
      ),
    )

    const accepted = answers.flatMap((answer, n) =>
      answer.statusCode === 403 && answer.body.includes(REFUSAL) ? [] : [requests[n]],
    )
    expect(accepted).toEqual([])
    expect(await queue.queues.media.getJobCounts('waiting', 'delayed', 'failed')).toEqual({ waiting: 1, delayed: 1, failed: 0 })
    expect(await queue.queues.media.isPaused()).toBe(false)
  })

  it('counts waiting, completed and failed jobs and the longest wait in GET /metrics', async () => {
    await queue.enqueue('archive-closed-issues', {})
    await createFailingWorker(1)
    await queue.queues.media.add('delete-orphaned-files', {})
    await vi.waitFor(async () => expect(await countFailed()).toBe(1), SOON)
    await queue.queues.media.add('delete-orphaned-files', {})
    await vi.waitFor(async () => expect(await queue.queues.media.getJobCountByTypes('completed')).toBe(1), SOON)
    const { ask } = await app()

    const { samples } = readScrape((await ask('/metrics')).text)
    const sample = (name: string) => samples.get(`fixpoint_${name}`)

    expect(sample('queue_up')).toBe(1)
    expect(sample('queue_jobs{queue="archive",state="waiting"}')).toBe(1)
    expect(sample('queue_oldest_waiting_job_age_seconds{queue="archive"}')).toBeGreaterThan(0)
    expect(sample('queue_oldest_waiting_job_age_seconds{queue="media"}')).toBe(0)
    expect(sample('queue_jobs{queue="media",state="failed"}')).toBe(1)
    expect(sample('queue_jobs_finished_total{queue="media",outcome="completed"}')).toBe(1)
    expect(sample('queue_jobs_finished_total{queue="media",outcome="failed"}')).toBe(1)
    expect(sample('queue_workers{queue="media"}')).toBe(1)
  })

  it('reports queues without a worker and overdue issues in GET /ops/health', async () => {
    await createWorker(place.db, ALL, 1)
    const healthy = await (await app()).ask('/ops/health')
    await place.db.execute(sql`UPDATE workers SET queues = '{events,moderation,notifications,mails,media}' RETURNING workers.id`)
    await createWorker(place.db, ['archive'], 75)
    const late = new Date(Date.now() - 7 * DAY_MS - 90_000)
    await createIssue(place.db, { closed: late })

    const { ask, anonymous } = await app()
    const alarm = await ask('/ops/health')

    expect([healthy.status, healthy.body]).toMatchObject([200, { status: 'ok', alarms: [] }])
    const seconds = (text: string) => expect.stringMatching(new RegExp(`^${text} \\d+ s$`)) as string
    expect([alarm.status, alarm.body]).toMatchObject([
      503,
      { status: 'alarm', alarms: [seconds('queues.archive: no worker for'), seconds('archive: an issue is overdue by')] },
    ])
    expect((await anonymous.send('GET', '/health/ready')).status).toBe(200)
  })

  it('lists the stored jobs of a delivery in GET /ops/trace/:id', async () => {
    const [event] = await queryRows<{ id: number }>(
      place.db,
      sql`
      INSERT INTO events (type, subject_type, subject_id) VALUES ('user.password_changed', 'user', 1) RETURNING events.id`,
    )
    const event_id = event?.id ?? 0
    await place.db.execute(sql`
      INSERT INTO outbox_deliveries (event_id, handler, requeues) VALUES (${event_id}, 'notify', 1) RETURNING outbox_deliveries.event_id`)
    await queue.enqueue('deliver', { event_id, handler: 'notify' }, { id: `delivery-${event_id}-notify-1` })
    const { ask } = await app()

    const { body } = await ask(`/ops/trace/${event_id}`)

    const job = {
      id: `delivery-${event_id}-notify-1`,
      state: 'waiting',
      attempts: 0,
      finished_at: null,
      failed_reason: null,
    }
    expect(body).toMatchObject({ events: [{ deliveries: [{ queue: 'notifications', jobs: [job] }] }] })
  })
})

it('GET /ops/queues returns 503 if the queue is unreachable, and metrics and health still answer', async () => {
  const [, open] = places[0] ?? []
  const place = await open?.()
  if (!place) throw new Error('there is no place')
  onTestFinished(() => place.close())
  const queue = await openQueue({ redisUrl: 'redis://127.0.0.1:1' }, silentLog)
  onTestFinished(() => queue.close())
  await createWorker(place.db, ALL, 1)
  const { ask } = await openOpsApp(place.db as TestApp['db'], { queue })

  const [board, metrics, health] = [await ask('/ops/queues/api/queues'), await ask('/metrics'), await ask('/ops/health')]

  expect([board.status, metrics.status, health.status]).toEqual([503, 200, 503])
  expect(readScrape(metrics.text).samples.get('fixpoint_queue_up')).toBe(0)
  expect(health.body).toMatchObject({ alarms: ['queue: it does not answer'] })
})
