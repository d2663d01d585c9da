import { mkdtempSync, chmodSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createRandom } from '../../prisma/seeds/random.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openPostgres, type PostgresDatabase } from '../../src/database/postgres.ts'
import { openFakeEndpoint } from '../georeport/open-fake-endpoint.ts'
import { checkForwarding } from './check-forwarding.ts'
import { checkMails } from './check-mails.ts'
import { checkNumbers } from './check-numbers.ts'
import { checkDeliveries, checkWrites, type Finding } from './check-writes.ts'
import { createWrites } from './writes.ts'
import { type RunLog, createRunLog } from './run-log.ts'
import { endLeasesBefore } from './end-leases.ts'
import { runKills } from './run-kills.ts'
import { createWorld } from './create-world.ts'
import { type Pace, createPlan } from './plan.ts'
import { watchQueues } from './count-jobs.ts'
import { startPostgres, startRedis, waitForPostgres } from './servers.ts'
import { startService, waitUntilReady } from './service.ts'
import { settle, type Unsettled } from './settle.ts'
import { openSink } from './mail-server.ts'
import { createWatchAreas, startDigestClock } from './watch-areas.ts'
import { startWriter, type ConfirmedWrite } from './writer.ts'

export interface KillTest {
  readonly seed: number
  readonly kills: number
  readonly queue: 'redis' | 'postgres'
  readonly pace: Pace
  /** Maximum time that a kill waits for work to interrupt. */
  readonly wait_max_ms: number
  readonly writers: number
  readonly people: number
  readonly issues: number
  /** If true, the run waits for leases and pauses after the last kill instead of ending them. */
  readonly waitsForLeases: boolean
  readonly settle_max_ms: number
  readonly say: (line: string) => void
}

export interface Outcome {
  readonly runLog: RunLog
  readonly confirmed: readonly ConfirmedWrite[]
  /** Number of requests without a response, or with 5xx, by status. */
  readonly failures: Readonly<Record<string, number>>
  readonly findings: readonly Finding[]
  readonly unsettled: Unsettled
  readonly mails: number
  /** Number of issues and comments that the endpoint has. */
  readonly forwarded: number
  readonly repeatedMails: number
  /** Errors that the sink caused. */
  readonly sink: { readonly later: number; readonly cut: number }
  readonly seconds: { readonly kills: number; readonly settling: number }
  /** The folder with all logs; deleted if there are no findings. */
  readonly folder: string
}

const WRITES_BETWEEN = 4
const WRITER_PAUSE_MS = 60
/** The limit exceeds the lease of an idempotency key. */
const RESPONSES_MAX_MS = 90_000

/** Writes through the service while its parts are killed, then checks that each confirmed write and its deliveries are there once. */
export async function killTest(test: KillTest): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-kill-'))
  // PostgreSQL runs as another user if this runs as root.
  chmodSync(folder, 0o755)
  const closers: (() => Promise<unknown>)[] = []
  let found = true
  try {
    const outcome = await run(test, folder, closers)
    found = outcome.findings.length > 0
    return outcome
  } finally {
    for (const close of closers.reverse()) await close()
    if (!found) await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function run(test: KillTest, folder: string, closers: (() => Promise<unknown>)[]): Promise<Outcome> {
  const { seed, say } = test
  const postgres = await startPostgres(folder)
  closers.push(() => postgres.stop())
  const redis = test.queue === 'redis' ? await startRedis(folder) : undefined
  if (redis) closers.push(() => redis.stop())
  const sink = await openSink(createRandom(seed, 'sink'))
  closers.push(() => sink.close())
  const endpoint = await openFakeEndpoint()
  closers.push(() => endpoint.stop())
  const world = await withDatabase(postgres.url, async (db) => {
    await migrate(db)
    const planted = await createWorld(db, test, endpoint.url)
    await createWatchAreas(db)
    return planted
  })
  const service = await startService({ folder, databaseUrl: postgres.url, redisUrl: redis?.url, sink, web: 2, workers: 2 })
  closers.push(() => Promise.all([...service.web, ...service.worker].map((one) => one.stop())))
  await waitUntilReady(service.urls)
  say('All processes are ready. The kills begin.')

  const queueOptions = redis ? { redisUrl: redis.url } : { databaseUrl: postgres.url }
  const stopClock = await startDigestClock(postgres.url, queueOptions)
  closers.push(stopClock)
  const confirmed: ConfirmedWrite[] = []
  const runLog = createRunLog()
  const writes = createWrites(createRandom(seed, 'writes'), world)
  const writer = startWriter({
    ...{
      urls: service.urls,
      random: createRandom(seed, 'writer'),
      next: writes.next,
      concurrency: test.writers,
      pause_ms: WRITER_PAUSE_MS,
    },
    onConfirmed(one) {
      confirmed.push(one)
      if (one.write.kind === 'report' && one.id !== undefined) writes.addIssue(one.id, one.write.by)
    },
  })
  closers.push(async () => writer.giveUp())
  const progress = setInterval(
    () =>
      say(`  ${runLog.kills.length} of ${test.kills} kills, ${confirmed.length} confirmed writes, ${sink.arrivals.length} mails`),
    10_000,
  )
  const began = Date.now()
  const plan = createPlan(seed, test.kills, redis !== undefined, test.pace)
  await runKills({
    ...{ plan, runLog, targets: { ...service, postgres, redis } },
    ...{ writes: WRITES_BETWEEN, countWrites: () => confirmed.length, wait_max_ms: test.wait_max_ms },
  }).finally(() => clearInterval(progress))
  const ended = Date.now()

  await waitForPostgres(postgres.url)
  await waitUntilReady(service.urls)
  say(`${runLog.kills.length} kills are done. Waiting for deliveries, mails and jobs.`)
  sink.calm()
  return withDatabase(postgres.url, async (db) => {
    if (!test.waitsForLeases) await endLeasesBefore(db, new Date(ended))
    const late = setTimeout(() => writer.giveUp(), RESPONSES_MAX_MS)
    await writer.finish().finally(() => clearTimeout(late))
    const queues = await watchQueues(queueOptions)
    let unsettled: Unsettled
    try {
      unsettled = await settle({
        ...{ db, since: new Date(ended), max_ms: test.settle_max_ms, waitsForLeases: test.waitsForLeases, say },
        countJobs: queues.count,
      })
    } finally {
      await queues.close()
    }
    const mails = await checkMails(db, sink.arrivals, runLog)
    const findings = [
      ...findUnexpectedStatuses(confirmed),
      ...findUnexpectedFailures(writer.failures),
      ...findUnsettled(unsettled),
      ...(await checkWrites(db, confirmed)),
      ...(await checkDeliveries(db)),
      ...mails.findings,
      ...(await checkForwarding(db, endpoint)),
      ...(await checkNumbers(db)),
    ]
    const seconds = { kills: (ended - began) / 1_000, settling: (Date.now() - ended) / 1_000 }
    return {
      runLog,
      confirmed,
      failures: writer.failures,
      findings,
      unsettled,
      mails: mails.mails,
      forwarded: endpoint.requests.length + endpoint.updates.length,
      repeatedMails: mails.repeatedMails,
      sink: sink.counts,
      seconds,
      folder,
    }
  })
}

async function withDatabase<Result>(url: string, work: (db: PostgresDatabase) => Promise<Result>): Promise<Result> {
  const db = openPostgres({ url })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

/** Transitions may be refused, since others change the same issue; all other writes must succeed. */
function findUnexpectedStatuses(confirmed: readonly ConfirmedWrite[]): Finding[] {
  return confirmed.flatMap(({ write, status }) => {
    const isMove = ['close', 'open', 'acknowledge'].includes(write.kind)
    const expected = isMove ? [201, 403, 422] : [write.needsReview ? 202 : 201]
    if (expected.includes(status)) return []
    return [
      {
        kind: 'wrong' as const,
        text: `${write.key}, ${write.kind} of ${write.issue} by ${write.by.id}, was answered with ${status}`,
      },
    ]
  })
}

const findUnexpectedFailures = (failures: Readonly<Record<string, number>>): Finding[] =>
  Object.entries(failures)
    .filter(([name]) => name !== 'no answer' && name !== '503')
    .map(([status, count]) => ({ kind: 'wrong' as const, text: `${count} requests were answered with ${status} and not with 503` }))

const findUnsettled = (unsettled: Unsettled): Finding[] =>
  Object.entries(unsettled)
    .filter(([, count]: [string, number]) => count > 0)
    .map(([what, count]) => ({ kind: 'lost' as const, text: `${count} ${what} are not done` }))
