import { mkdtempSync, chmodSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openChance } from '../../prisma/seeds/chance.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openPostgres, type PostgresDatabase } from '../../src/database/postgres.ts'
import { checkMails } from './check-mails.ts'
import { checkNumbers } from './check-numbers.ts'
import { checkDeliveries, checkWrites, type Finding } from './check-writes.ts'
import { deedsOf } from './deeds.ts'
import { type Diary, newDiary } from './diary.ts'
import { endLeasesBefore } from './hurry.ts'
import { killAsPlanned } from './killer.ts'
import { plantWorld } from './people.ts'
import { type Pace, planOf } from './plan.ts'
import { watchQueues } from './queues.ts'
import { startPostgres, startRedis, untilAnswers } from './servers.ts'
import { startService, untilReady } from './service.ts'
import { settle, type Unsettled } from './settle.ts'
import { openSink } from './sink.ts'
import { plantWatchers, startFastClock } from './watchers.ts'
import { startWriter, type Told } from './writer.ts'

export interface KillTest {
  readonly seed: number
  readonly kills: number
  readonly queue: 'redis' | 'postgres'
  readonly pace: Pace
  /** So long a kill may wait for work that it cuts off. */
  readonly wait_max_ms: number
  /** How many write at a time. */
  readonly writers: number
  readonly people: number
  readonly issues: number
  /** Whether leases and pauses are waited for as they are after the last kill. */
  readonly patient: boolean
  readonly settle_max_ms: number
  readonly say: (line: string) => void
}

export interface Outcome {
  readonly diary: Diary
  readonly told: readonly Told[]
  /** How often somebody had no answer, or one of 5xx, and asked again. */
  readonly failures: Readonly<Record<string, number>>
  readonly findings: readonly Finding[]
  readonly unsettled: Unsettled
  readonly mails: number
  readonly again: number
  /** What the sink did to mails. */
  readonly sink: { readonly later: number; readonly cut: number }
  readonly seconds: { readonly kills: number; readonly settling: number }
  /** Logs of all processes; removed where nothing was found. */
  readonly folder: string
}

const WRITES_BETWEEN = 4
const WRITER_PAUSE_MS = 60
/** Longer than the lease of a key. */
const ANSWERS_MAX_MS = 90_000

/**
 * Writes through the service while its processes, its database and its queue are killed, and then looks whether all that somebody was told of
 * is there once, with all that follows from it. Everything runs on servers of its own in a temporary folder.
 */
export async function killTest(test: KillTest): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-kill-'))
  // PostgreSQL runs as another user where this runs as root.
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
  const sink = await openSink(openChance(seed, 'sink'))
  closers.push(() => sink.close())
  const world = await withDatabase(postgres.url, async (db) => {
    await migrate(db)
    const planted = await plantWorld(db, test)
    await plantWatchers(db)
    return planted
  })
  const service = await startService({ folder, databaseUrl: postgres.url, redisUrl: redis?.url, sink, web: 2, workers: 2 })
  closers.push(() => Promise.all([...service.web, ...service.worker].map((one) => one.stop())))
  await untilReady(service.urls)
  say('everything runs: the killing begins')

  const queueOptions = redis ? { redisUrl: redis.url } : { databaseUrl: postgres.url }
  const stopClock = await startFastClock(postgres.url, queueOptions)
  closers.push(stopClock)
  const told: Told[] = []
  const diary = newDiary()
  const deeds = deedsOf(openChance(seed, 'deeds'), world)
  const writer = startWriter({
    ...{
      urls: service.urls,
      chance: openChance(seed, 'writer'),
      next: deeds.next,
      concurrency: test.writers,
      pause_ms: WRITER_PAUSE_MS,
    },
    onTold(one) {
      told.push(one)
      if (one.deed.kind === 'report' && one.id !== undefined) deeds.knows(one.id, one.deed.by)
    },
  })
  closers.push(async () => writer.giveUp())
  const progress = setInterval(
    () => say(`  ${diary.kills.length} of ${test.kills} kills, ${told.length} writes answered, ${sink.arrivals.length} mails`),
    10_000,
  )
  const began = Date.now()
  const plan = planOf(seed, test.kills, redis !== undefined, test.pace)
  await killAsPlanned({
    ...{ plan, diary, victims: { ...service, postgres, redis } },
    ...{ writes: WRITES_BETWEEN, countWrites: () => told.length, wait_max_ms: test.wait_max_ms },
  }).finally(() => clearInterval(progress))
  const ended = Date.now()

  await untilAnswers(postgres.url)
  await untilReady(service.urls)
  say(`${diary.kills.length} kills are done; waiting for what is under way`)
  sink.calm()
  return withDatabase(postgres.url, async (db) => {
    if (!test.patient) await endLeasesBefore(db, new Date(ended))
    const late = setTimeout(() => writer.giveUp(), ANSWERS_MAX_MS)
    await writer.finish().finally(() => clearTimeout(late))
    const queues = await watchQueues(queueOptions)
    const unsettled = await settle({
      ...{ db, since: new Date(ended), max_ms: test.settle_max_ms, patient: test.patient, say },
      countJobs: queues.count,
    }).finally(() => queues.close())
    const mails = await checkMails(db, sink.arrivals, diary)
    const findings = [
      ...unexpected(told),
      ...faults(writer.failures),
      ...leftOver(unsettled),
      ...(await checkWrites(db, told)),
      ...(await checkDeliveries(db)),
      ...mails.findings,
      ...(await checkNumbers(db)),
    ]
    const seconds = { kills: (ended - began) / 1_000, settling: (Date.now() - ended) / 1_000 }
    return {
      diary,
      told,
      failures: writer.failures,
      findings,
      unsettled,
      mails: mails.mails,
      again: mails.again,
      sink: sink.counts,
      seconds,
      folder,
    }
  })
}

async function withDatabase<Result>(url: string, work: (db: PostgresDatabase) => Promise<Result>): Promise<Result> {
  const db = openPostgres({ url })
  return work(db).finally(() => db.close())
}

/** Moves may be refused, since others move the same issue; everything else that is asked for is allowed. */
function unexpected(told: readonly Told[]): Finding[] {
  return told.flatMap(({ deed, status }) => {
    const isMove = ['close', 'open', 'acknowledge'].includes(deed.kind)
    const due = isMove ? [201, 403, 422] : [deed.willBeHeld ? 202 : 201]
    if (due.includes(status)) return []
    return [
      { kind: 'wrong' as const, text: `${deed.key}, ${deed.kind} of ${deed.issue} by ${deed.by.id}, was answered with ${status}` },
    ]
  })
}

/** Whatever is away, the answer is that it is away. */
const faults = (failures: Readonly<Record<string, number>>): Finding[] =>
  Object.entries(failures)
    .filter(([name]) => name !== 'no answer' && name !== '503')
    .map(([status, count]) => ({ kind: 'wrong' as const, text: `${count} requests were answered with ${status} and not with 503` }))

const leftOver = (unsettled: Unsettled): Finding[] =>
  Object.entries(unsettled)
    .filter(([, count]: [string, number]) => count > 0)
    .map(([what, count]) => ({ kind: 'lost' as const, text: `${count} ${what} are not done` }))
