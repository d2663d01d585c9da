import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { type BullQueue, type BullQueues, openQueue, QueueUnavailable, type JobQueue } from '../../src/queue/queue.ts'
import { startWorker, type WorkerSettings } from '../../jobs/run-worker.ts'
import { syncSchedules } from '../../jobs/schedules.ts'
import { sql } from '../../src/database/database.ts'
import type { FileStore } from '../../src/storage/file-store.ts'
import { countWorkers } from '../../src/queue/worker-queries.ts'
import { resetDatabase } from '../helpers/database.ts'
import { ago, createIssue, now, findStatus } from './create-issues.ts'
import { createTemporaryFileStore } from './files.ts'
import { createLogRecorder, silentLog } from './log.ts'
import { createMailer } from './mails.ts'
import { places, type Place } from './places.ts'
import { queryRows } from '../helpers/query-rows.ts'

const HOUR_MS = 60 * 60 * 1000

/** The timeout is shorter than the interval of the schedule, which is half a minute. */
const SOON = { timeout: 60_000, interval: 50 }
const NAME = 'archive-closed-issues'

describe.each(places)('the queue in %s', (_, open) => {
  let place: Place
  let queue: JobQueue
  let bullQueues: BullQueues
  let archiveQueue: BullQueue
  beforeAll(async () => {
    place = await open()
    queue = await openQueue(place.options, silentLog)
    bullQueues = queue.queues
    archiveQueue = bullQueues.archive
    await archiveQueue.waitUntilReady()
  })
  afterAll(async () => {
    await queue.close()
    await place.close()
  })
  beforeEach(() => resetDatabase(place.db))
  const emptyAll = () => Promise.all(Object.values(bullQueues).map((bullQueue) => bullQueue.obliterate({ force: true })))
  afterEach(emptyAll)

  const createWorker = async (log = silentLog, settings: WorkerSettings = {}, files = createTemporaryFileStore()) => {
    const running = await startWorker({ db: place.db, files, ...createMailer(), log, clock: now }, place.options, settings)
    onTestFinished(() => running.close())
    return running
  }
  const waitUntilIdle = () =>
    vi.waitFor(async () => expect(await archiveQueue.getJobCounts('waiting', 'active')).toEqual({ waiting: 0, active: 0 }), SOON)
  const waitForArchived = (id: number) => vi.waitFor(async () => expect(await findStatus(place.db, id)).toBe('Archived'), SOON)

  it('runs scheduled jobs when a worker starts', async () => {
    const id = await createIssue(place.db, { closed: ago(8) })

    await createWorker()

    await waitForArchived(id)
  })

  it('runs jobs that became due without a worker when one starts', async () => {
    const before = await createWorker()
    await waitUntilIdle()
    await before.close()
    const id = await createIssue(place.db, { closed: ago(8) })

    await createWorker()

    await waitForArchived(id)
  })

  it('runs a queued job at once', async () => {
    await createWorker()
    await waitUntilIdle()
    const id = await createIssue(place.db, { closed: ago(8) })

    await queue.enqueue(NAME, {})

    await waitForArchived(id)
  })

  it('stores a job that was queued without a worker', async () => {
    const id = await createIssue(place.db, { closed: ago(8) })
    await queue.enqueue(NAME, {}, { id: 'stored' })

    expect(await archiveQueue.getJobCountByTypes('waiting')).toBe(1)
    await createWorker()

    await waitForArchived(id)
  })

  it('accepts a job id once, and delays a job', async () => {
    await queue.enqueue(NAME, {}, { id: 'once' })
    await queue.enqueue(NAME, {}, { id: 'once' })
    await queue.enqueue(NAME, {}, { delay_ms: HOUR_MS })

    expect(await archiveQueue.getJobCounts('waiting', 'delayed')).toEqual({ waiting: 1, delayed: 1 })
  })

  it('rejects a job inside a transaction', async () => {
    const enqueued = place.db.transaction(() => queue.enqueue(NAME, {}))

    await expect(enqueued).rejects.toThrow('Inside a transaction')
    expect(await archiveQueue.getJobCountByTypes('waiting')).toBe(0)
  })

  it('fails a job with an invalid payload at the first attempt, and does not log the payload', async () => {
    const { log, entries } = createLogRecorder()
    const job = await archiveQueue.add(NAME, 'private words', { attempts: 5 })

    await createWorker(log)

    const failures = await vi.waitFor(() => {
      const errors = entries.filter(({ level }) => level === 'error')
      expect(errors).toHaveLength(1)
      return errors
    }, SOON)
    expect(await archiveQueue.getJobCountByTypes('failed')).toBe(1)
    expect(failures).toMatchObject([
      { message: 'job failed', details: { job: NAME, job_id: job.id, err: { name: 'UnrecoverableError' } } },
    ])
    expect(JSON.stringify(entries, ['message', 'details', 'job', 'jobId', 'err', 'name'])).not.toContain('private')
    expect(String((failures[0]!.details as { err: Error }).err.message)).not.toContain('private')
  })

  it('retries a job with an unknown name, so that a newer worker can run it', async () => {
    const { log, entries } = createLogRecorder()
    await archiveQueue.add('from-a-newer-release', {}, { attempts: 2, backoff: HOUR_MS })

    await createWorker(log)

    await vi.waitFor(() => expect(entries.filter(({ level }) => level === 'error')).toHaveLength(1), SOON)
    expect(await archiveQueue.getJobCountByTypes('failed')).toBe(0)
  })

  it('synchronizes the schedules with the contracts, repeatedly and after a loss', async () => {
    const all = Object.values(bullQueues)
    const listSchedules = async (bullQueue: BullQueue) =>
      Object.fromEntries((await bullQueue.getJobSchedulers(0, -1, true)).map(({ key, every, pattern }) => [key, every ?? pattern]))
    const registered = async () =>
      Object.fromEntries(await Promise.all(all.map(async (bullQueue) => [bullQueue.name, await listSchedules(bullQueue)] as const)))
    const expected = {
      events: {
        'roll-up-cells': 2_000,
        'add-search-words': 300_000,
        'count-search-words': '20 3 * * *',
        'dispatch-outbox': 5_000,
        'notice-failover': 20_000,
        'compute-targets': 30_000,
        'run-bulk': 2_000,
        'clear-device-fields': '5 5 * * *',
        'delete-expired-trusted-devices': '10 5 * * *',
        'delete-expired-drafts': '35 * * * *',
        'delete-expired-idempotency-keys': '25 * * * *',
        'purge-removed-emails': '50 4 * * *',
        'delete-old-changes': '45 4 * * *',
        'delete-old-watch-matches': '55 4 * * *',
      },
      moderation: {},
      notifications: { 'create-digests': 60_000, 'create-daily-mails': 60_000, 'ask-closings': 60_000 },
      mails: { 'send-mails': 5_000, 'delete-old-mail-files': '15 5 * * *' },
      media: { 'delete-orphaned-files': '40 3,15 * * *' },
      archive: { [NAME]: 30_000 },
      forwarding: { 'poll-endpoints': 20_000 },
      webhooks: { 'deliver-webhooks': 2_000 },
    }
    await archiveQueue.upsertJobScheduler('of-an-older-release', { every: HOUR_MS }, { name: 'of-an-older-release' })
    await archiveQueue.upsertJobScheduler(NAME, { every: HOUR_MS }, { name: NAME })

    await syncSchedules(all)
    await syncSchedules(all)
    expect(await registered()).toEqual(expected)

    await emptyAll()
    await syncSchedules(all)
    expect(await registered()).toEqual(expected)
  })

  it('restores the schedules if the queue is emptied while a worker runs', async () => {
    await createWorker(silentLog, { schedulesEvery_ms: 100 })
    await waitUntilIdle()
    const id = await createIssue(place.db, { closed: ago(8) })

    await archiveQueue.obliterate({ force: true })

    await waitForArchived(id)
  })

  it('stops before its deadline if no job is active', async () => {
    const { log, entries } = createLogRecorder()
    const running = await createWorker(log)

    await running.close()

    expect(entries.filter(({ message }) => message === 'requeued jobs that did not end in time')).toEqual([])
  })

  it('requeues active jobs that do not end in time, and another worker takes them at once', async () => {
    const { log, entries } = createLogRecorder()
    const started: string[] = []
    const createHangingStore = (name: string): FileStore => ({
      ...createTemporaryFileStore(),
      async *list() {
        started.push(name)
        yield await new Promise<never>(() => undefined)
      },
    })
    const first = await createWorker(log, { closeMax_ms: 1_200 }, createHangingStore('first'))
    await queue.enqueue('delete-orphaned-files', {})
    await vi.waitFor(() => expect(started).toEqual(['first']), SOON)

    await createWorker(silentLog, { closeMax_ms: 1_200 }, createHangingStore('second'))
    await first.close()

    await vi.waitFor(() => expect(started).toEqual(['first', 'second']), SOON)
    expect(entries).toContainEqual({
      level: 'warn',
      message: 'requeued jobs that did not end in time',
      details: { requeued: 1 },
    })
  })

  it('does not take jobs of other queues', async () => {
    const id = await createIssue(place.db, { closed: ago(8) })
    await queue.enqueue(NAME, {})

    await createWorker(silentLog, { queues: ['media', 'mails'] })
    await queue.enqueue('delete-orphaned-files', {})
    await vi.waitFor(async () => expect(await bullQueues.media.getJobCountByTypes('completed')).toBe(1), SOON)

    expect(await findStatus(place.db, id)).toBe('Closed')
    expect(await archiveQueue.getJobCounts('waiting', 'delayed')).toEqual({ waiting: 1, delayed: 0 })
  })

  it('counts a worker for its own queues while it runs', async () => {
    const countedWorkers = async () => {
      const counts = await countWorkers(place.db, ['archive', 'mails'])
      return Object.fromEntries(counts.map((count) => [count.queue, [count.workers, count.last_seen_s === null]]))
    }
    expect(await countedWorkers()).toEqual({ archive: [0, true], mails: [0, true] })

    const running = await createWorker(silentLog, { queues: ['mails'] })
    await vi.waitFor(async () => expect(await countedWorkers()).toEqual({ archive: [0, true], mails: [1, false] }), SOON)
    await running.close()

    expect(await countedWorkers()).toEqual({ archive: [0, true], mails: [0, false] })
  })

  it('shares no table, function or type name with the project, which comes first in the search path', async () => {
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

describe('openQueue', () => {
  it('throws QueueUnavailable at once if Redis is down', async () => {
    const queue = await openQueue({ redisUrl: 'redis://127.0.0.1:1' }, silentLog)
    onTestFinished(() => queue.close())

    await expect(queue.enqueue(NAME, {})).rejects.toThrow(QueueUnavailable)
  })
})
