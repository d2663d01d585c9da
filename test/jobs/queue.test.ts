import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'

import { type BullQueue, type BullQueues, openQueue, QueueUnavailable, type JobQueue } from '../../src/queue/queue.ts'
import { startWorker, type WorkerSettings } from '../../jobs/run-worker.ts'
import { syncSchedules } from '../../jobs/schedules.ts'
import { sql } from '../../src/database/database.ts'
import type { FileStore } from '../../src/storage/file-store.ts'
import { countWorkers } from '../../src/queue/worker-queries.ts'
import { resetDatabase } from '../helpers/database.ts'
import { ago, givenIssue, now, statusOf } from './given.ts'
import { givenFiles } from './files.ts'
import { rememberingLog, silentLog } from './log.ts'
import { givenMailer } from './mails.ts'
import { places, type Place } from './places.ts'
import { queryRows } from '../helpers/query-rows.ts'

const HOUR_MS = 60 * 60 * 1000

/** Well before the next beat of the schedule, which comes after half a minute. */
const SOON = { timeout: 10_000, interval: 50 }
const NAME = 'archive-closed-issues'

describe.each(places)('the queue in %s', (_, open) => {
  let place: Place
  let queue: JobQueue
  let bulls: BullQueues
  /** The queue of what most of these tests are about. */
  let bull: BullQueue
  beforeAll(async () => {
    place = await open()
    queue = await openQueue(place.options, silentLog)
    bulls = queue.queues
    bull = bulls.archive
    await bull.waitUntilReady()
  })
  afterAll(async () => {
    await queue.close()
    await place.close()
  })
  beforeEach(() => resetDatabase(place.db))
  const emptyAll = () => Promise.all(Object.values(bulls).map((one) => one.obliterate({ force: true })))
  afterEach(emptyAll)

  const worker = async (log = silentLog, settings: WorkerSettings = {}, files = givenFiles()) => {
    const running = await startWorker({ db: place.db, files, ...givenMailer(), log, clock: now }, place.options, settings)
    onTestFinished(() => running.close())
    return running
  }
  const idle = () =>
    vi.waitFor(async () => expect(await bull.getJobCounts('waiting', 'active')).toEqual({ waiting: 0, active: 0 }), SOON)
  const archived = (id: number) => vi.waitFor(async () => expect(await statusOf(place.db, id)).toBe('Archived'), SOON)

  test('does what is scheduled as soon as a worker starts', async () => {
    const id = await givenIssue(place.db, { closed: ago(8) })

    await worker()

    await archived(id)
  })

  test('does what became due while no worker ran as soon as one starts', async () => {
    const before = await worker()
    await idle()
    await before.close()
    const id = await givenIssue(place.db, { closed: ago(8) })

    await worker()

    await archived(id)
  })

  test('does a queued job at once, not at the next beat', async () => {
    await worker()
    await idle()
    const id = await givenIssue(place.db, { closed: ago(8) })

    await queue.enqueue(NAME, {})

    await archived(id)
  })

  test('keeps a job that was queued while no worker ran', async () => {
    const id = await givenIssue(place.db, { closed: ago(8) })
    await queue.enqueue(NAME, {}, { id: 'kept' })

    expect(await bull.getJobCountByTypes('waiting')).toBe(1)
    await worker()

    await archived(id)
  })

  test('takes a job of the same id once, and a delayed one later', async () => {
    await queue.enqueue(NAME, {}, { id: 'once' })
    await queue.enqueue(NAME, {}, { id: 'once' })
    await queue.enqueue(NAME, {}, { delay_ms: HOUR_MS })

    expect(await bull.getJobCounts('waiting', 'delayed')).toEqual({ waiting: 1, delayed: 1 })
  })

  test('refuses a job inside a transaction, which might still be rolled back', async () => {
    const enqueued = place.db.transaction(() => queue.enqueue(NAME, {}))

    await expect(enqueued).rejects.toThrow('Inside a transaction')
    expect(await bull.getJobCountByTypes('waiting')).toBe(0)
  })

  test('gives up a job whose payload does not fit, at the first of its attempts, and says neither more nor less', async () => {
    const { log, told } = rememberingLog()
    const job = await bull.add(NAME, 'private words', { attempts: 5 })

    await worker(log)

    const failures = await vi.waitFor(() => {
      const errors = told.filter(({ level }) => level === 'error')
      expect(errors).toHaveLength(1)
      return errors
    }, SOON)
    expect(await bull.getJobCountByTypes('failed')).toBe(1)
    expect(failures).toMatchObject([
      { message: 'job failed', details: { job: NAME, jobId: job.id, err: { name: 'UnrecoverableError' } } },
    ])
    expect(JSON.stringify(told, ['message', 'details', 'job', 'jobId', 'err', 'name'])).not.toContain('private')
    expect(String((failures[0]?.details as { err: Error }).err.message)).not.toContain('private')
  })

  test('leaves a job that it does not know to a newer worker', async () => {
    const { log, told } = rememberingLog()
    await bull.add('from-a-newer-release', {}, { attempts: 2, backoff: HOUR_MS })

    await worker(log)

    await vi.waitFor(() => expect(told.filter(({ level }) => level === 'error')).toHaveLength(1), SOON)
    expect(await bull.getJobCountByTypes('failed')).toBe(0)
  })

  test('makes its schedules those of the contracts, however often and wherever they were lost', async () => {
    const all = Object.values(bulls)
    const schedulesOf = async (one: BullQueue) =>
      Object.fromEntries((await one.getJobSchedulers(0, -1, true)).map(({ key, every, pattern }) => [key, every ?? pattern]))
    const registered = async () =>
      Object.fromEntries(await Promise.all(all.map(async (one) => [one.name, await schedulesOf(one)] as const)))
    const wanted = {
      events: {
        'roll-up-cells': 2_000,
        'dispatch-outbox': 5_000,
        'sweep-device-fields': '5 5 * * *',
        'sweep-trusted-devices': '10 5 * * *',
        'sweep-idempotency-keys': '25 * * * *',
        'sweep-removed-emails': '50 4 * * *',
        'sweep-watch-matches': '55 4 * * *',
      },
      moderation: {},
      notifications: { 'send-digests': 60_000 },
      mails: { 'send-notifications': 5_000, 'sweep-mail-folder': '15 5 * * *' },
      media: { 'sweep-orphans': '40 3,15 * * *' },
      archive: { [NAME]: 30_000 },
    }
    await bull.upsertJobScheduler('of-an-older-release', { every: HOUR_MS }, { name: 'of-an-older-release' })
    await bull.upsertJobScheduler(NAME, { every: HOUR_MS }, { name: NAME })

    await syncSchedules(all)
    await syncSchedules(all)
    expect(await registered()).toEqual(wanted)

    await emptyAll()
    await syncSchedules(all)
    expect(await registered()).toEqual(wanted)
  })

  test('goes on after the queue was emptied under a running worker', async () => {
    await worker(silentLog, { schedulesEvery_ms: 100 })
    await idle()
    const id = await givenIssue(place.db, { closed: ago(8) })

    await bull.obliterate({ force: true })

    await archived(id)
  })

  test('stops in a moment while nothing is to be done', async () => {
    const running = await worker()
    const before = performance.now()

    await running.close()

    expect(performance.now() - before).toBeLessThan(2_000)
  })

  test('gives back what it has in hand and cannot end, and another worker takes it up at once', async () => {
    const { log, told } = rememberingLog()
    const begun: string[] = []
    /** Files that take for ever to list. */
    const filesOf = (name: string): FileStore => ({
      ...givenFiles(),
      async *list() {
        begun.push(name)
        yield await new Promise<never>(() => undefined)
      },
    })
    const first = await worker(log, { closeMax_ms: 1_200 }, filesOf('first'))
    await queue.enqueue('sweep-orphans', {})
    await vi.waitFor(() => expect(begun).toEqual(['first']), SOON)

    await worker(silentLog, { closeMax_ms: 1_200 }, filesOf('second'))
    await first.close()

    await vi.waitFor(() => expect(begun).toEqual(['first', 'second']), SOON)
    expect(told).toContainEqual({
      level: 'warn',
      message: 'jobs requeued: they did not end in time',
      details: { requeued: 1 },
    })
  })

  test('leaves the queues alone that are not its own', async () => {
    const id = await givenIssue(place.db, { closed: ago(8) })
    await queue.enqueue(NAME, {})

    await worker(silentLog, { queues: ['media', 'mails'] })
    await queue.enqueue('sweep-orphans', {})
    await vi.waitFor(async () => expect(await bulls.media.getJobCountByTypes('completed')).toBe(1), SOON)

    expect(await statusOf(place.db, id)).toBe('Closed')
    expect(await bull.getJobCounts('waiting', 'delayed')).toEqual({ waiting: 1, delayed: 0 })
  })

  test('is seen at the queues whose jobs it does, and only for as long as it does', async () => {
    const seen = async () => {
      const told = await countWorkers(place.db, ['archive', 'mails'])
      return Object.fromEntries(told.map((one) => [one.queue, [one.workers, one.last_seen_s === null]]))
    }
    const onBoard = async () => (await bulls.mails.getWorkers()).length
    expect(await seen()).toEqual({ archive: [0, true], mails: [0, true] })

    const running = await worker(silentLog, { queues: ['mails'] })
    await vi.waitFor(async () => expect(await seen()).toEqual({ archive: [0, true], mails: [1, false] }), SOON)
    await vi.waitFor(async () => expect(await onBoard()).toBe(1), SOON)
    await running.close()

    expect(await seen()).toEqual({ archive: [0, true], mails: [0, false] })
    await vi.waitFor(async () => expect(await onBoard()).toBe(0), SOON)
  })

  test('shares no name with the tables of the project, which an embedded session finds first', async () => {
    const shared = await queryRows(
      place.db,
      sql`
      WITH named AS (
        SELECT c.relnamespace AS schema, c.relname AS name FROM pg_class c
        UNION ALL SELECT p.pronamespace, p.proname FROM pg_proc p
        UNION ALL SELECT t.typnamespace, t.typname FROM pg_type t)
      SELECT o.name FROM named o
      JOIN named q ON q.name = o.name
      JOIN pg_namespace n ON n.oid = q.schema AND n.nspname = 'bullmq'
      WHERE o.schema = 'public'::regnamespace`,
    )

    expect(shared).toEqual([])
  })
})

test('a producer is told at once that Redis is away', async () => {
  const queue = await openQueue({ redisUrl: 'redis://127.0.0.1:1' }, silentLog)
  onTestFinished(() => queue.close())

  await expect(queue.enqueue(NAME, {})).rejects.toThrow(QueueUnavailable)
})
