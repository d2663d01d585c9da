import { Redis } from 'ioredis'
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { migrate } from '../../../src/database/migrate.ts'
import type { PostgresDatabase } from '../../../src/database/postgres.ts'
import type { SinkMessage } from '../load/mail-sink.ts'
import { withBenchDatabase, benchDatabaseName } from '../own-databases.ts'
import type { Goal } from '../report.ts'
import { startServer } from '../server-process.ts'

const SUFFIX = 'fan_out'
const READY_MAX_MS = 60_000
const ARRIVES_MAX_MS = 600_000
const TOKEN = 'fxp_bench-author'

export const fanOutDatabases = (databaseUrl: string): string[] => [benchDatabaseName(databaseUrl, SUFFIX)]

const insertFollowers = (followers: number) => `
  ALTER TABLE follows DISABLE TRIGGER USER;
  INSERT INTO users (name, locale) SELECT 'Follower ' || n, (ARRAY['en', 'es', 'fr'])[1 + n % 3] FROM generate_series(1, ${followers} + 1) n;
  INSERT INTO email_addresses (user_id, email, confirmed_at) SELECT u.id, 'follower-' || u.id || '@example.org', now() FROM users u;
  INSERT INTO issues (id, summary, lng, lat) VALUES (1, 'Pothole at the crossing', -104.99, 39.74);
  INSERT INTO follows (issue_id, user_id) SELECT 1, n FROM generate_series(1, ${followers}) n;
  INSERT INTO tokens (user_id, token_hash)
  SELECT ${followers} + 1, translate(rtrim(encode(sha256(convert_to('${TOKEN}', 'UTF8')), 'base64'), '='), '+/', '-_');
  ALTER TABLE follows ENABLE TRIGGER USER;`

export interface FanOutSetting {
  readonly followers: number
  /** If it is undefined, only the queue on PostgreSQL is measured. */
  readonly redisUrl: string | undefined
}

/** Measures the time from the 201 of one comment to its last mail in an SMTP server, with one worker process, on each kind of queue. */
export async function measureFanOut(
  db: PostgresDatabase,
  databaseUrl: string,
  { followers, redisUrl }: FanOutSetting,
  say: (line: string) => void,
): Promise<Goal[]> {
  const goals: Goal[] = []
  say(`\n${`one comment to ${followers.toLocaleString('en')} followers`.padEnd(36)} seconds   first ms    mails /s`)
  if (redisUrl === undefined) say('(BENCH_REDIS_URL is not set: only the queue on PostgreSQL is measured)')
  else await refuseUsedRedis(redisUrl)
  const queues = [
    ...(redisUrl === undefined ? [] : [{ name: 'Redis', env: { REDIS_URL: redisUrl } }]),
    { name: 'PostgreSQL', env: {} },
  ]
  try {
    for (const { name, env } of queues) goals.push(await onQueue(db, databaseUrl, followers, { name, env }, say))
  } finally {
    if (redisUrl !== undefined) await onRedis(redisUrl, (redis) => redis.flushdb())
  }
  return goals
}

/** @throws Error if Redis is not empty, because the worker would run the jobs in it */
async function refuseUsedRedis(redisUrl: string): Promise<void> {
  if ((await onRedis(redisUrl, (redis) => redis.dbsize())) === 0) return
  throw new Error('BENCH_REDIS_URL must name an empty database of Redis: the benchmark empties it when it is done.')
}

async function onRedis<Result>(url: string, work: (redis: Redis) => Promise<Result>): Promise<Result> {
  const redis = new Redis(url, { maxRetriesPerRequest: 1 })
  redis.on('error', () => undefined)
  return work(redis).finally(() => redis.disconnect())
}

async function onQueue(
  db: PostgresDatabase,
  databaseUrl: string,
  followers: number,
  { name, env }: { readonly name: string; readonly env: Readonly<Record<string, string>> },
  say: (line: string) => void,
): Promise<Goal> {
  return withBenchDatabase(db, databaseUrl, SUFFIX, async (fresh) => {
    await migrate(fresh)
    await fresh.executeScript(insertFollowers(followers))
    await fresh.executeScript('ANALYZE')
    const own = new URL(databaseUrl)
    own.pathname = `/${encodeURIComponent(benchDatabaseName(databaseUrl, SUFFIX))}`
    const folder = mkdtempSync(join(tmpdir(), 'fixpoint-bench-'))
    const sink = await startSink()
    const all = { REDIS_URL: '', ...env, DATA_DIR: folder, SMTP_URL: `smtp://127.0.0.1:${sink.port}` }
    const server = await startServer(own.href, all)
    const worker = await startWorkerProcess({ ...all, DATABASE_URL: own.href, PUBLIC_URL: server.url })
    try {
      const answered_at = await comment(server.url)
      const { mails, addresses, last_at, first_at } = await sink.until(followers)
      const seconds = (last_at - answered_at) / 1_000
      const cells = [seconds.toFixed(1), String(first_at - answered_at), (mails / seconds).toFixed(0)]
      say(`  queue on ${name}`.padEnd(36) + cells.map((cell, n) => cell.padStart([8, 11, 12][n] ?? 0)).join(''))
      return {
        text: `${mails} mails to ${addresses} of ${followers} followers in ${seconds.toFixed(1)} s by the queue on ${name}, goal: each has one`,
        reached: mails === followers && addresses === followers,
      }
    } finally {
      await end(worker)
      await server.stop()
      await end(sink.child)
      rmSync(folder, { recursive: true })
    }
  })
}

/** Returns the time of the response in milliseconds. */
async function comment(url: string): Promise<number> {
  const response = await fetch(`${url}/api/v2/issues/1/comments`, {
    method: 'POST',
    headers: { 'user-agent': 'fixpoint-bench', 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ comment: 'The city has put cones around it.' }),
  })
  if (response.status !== 201) throw new Error(`The comment was answered with ${response.status}: ${await response.text()}`)
  return Date.now()
}

async function startSink() {
  const child = fork(fileURLToPath(new URL('../load/mail-sink.ts', import.meta.url)))
  const listening = Promise.withResolvers<number>()
  let news = { mails: 0, addresses: 0, last_at: 0 }
  let first_at = 0
  child.on('message', (message: SinkMessage) => {
    if ('port' in message) return listening.resolve(message.port)
    if (news.mails === 0 && message.mails > 0) first_at = message.last_at
    news = message
  })
  child.once('exit', () => listening.reject(new Error('The mail server did not start.')))
  return {
    child,
    port: await listening.promise,
    /** Waits for this number of mails and one more second, in which unexpected mails could arrive. */
    async until(mails: number) {
      for (const until = Date.now() + ARRIVES_MAX_MS; news.mails < mails && Date.now() < until;) await pause(50)
      await pause(1_000)
      return { ...news, first_at }
    },
  }
}

async function startWorkerProcess(env: Readonly<Record<string, string>>): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['jobs/worker.ts'], {
    cwd: fileURLToPath(new URL('../../../', import.meta.url)),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let isReady = false
  child.stdout?.on('data', (lines: Buffer) => (isReady ||= lines.includes('worker started')))
  for (const until = Date.now() + READY_MAX_MS; !isReady;) {
    if (child.exitCode !== null || Date.now() > until) throw new Error('The worker did not start.')
    await pause(50)
  }
  return child
}

async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGTERM')
  await ended
}
