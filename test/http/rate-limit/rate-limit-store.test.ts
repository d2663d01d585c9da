import { Redis } from 'ioredis'
import type { Pool } from 'pg'
import { beforeAll, describe, expect, onTestFinished, it, vi } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { openPostgres } from '../../../src/database/postgres.ts'
import { hashPassword } from '../../helpers/hash-password.ts'
import { createPermits } from '../../../src/http/rate-limit/rate-limit.ts'
import { openRateLimitStore, type RateLimitStoreOptions } from '../../../src/http/rate-limit/rate-limit-store.ts'
import { openTestRedis } from '../../helpers/servers/redis.ts'
import { isDirectServer, testRedisUrl } from '../../helpers/servers.ts'
import { startStallingProxy } from '../../helpers/servers/stalling-proxy.ts'
import { useApp } from '../../helpers/use-app.ts'
import { appOn, basic, bearer } from '../app-on.ts'
import { queryRows } from '../../helpers/query-rows.ts'

const app = useApp()

/** Time for a connection to Redis on a busy machine. */
const SOON = { timeout: 60_000, interval: 100 }

type Permits = ReturnType<typeof createPermits>

function open(options: RateLimitStoreOptions = {}) {
  const opened = openRateLimitStore(options)
  onTestFinished(() => opened.close())
  return opened.store
}

/** Returns how many of the concurrent requests, sent to the processes in turn, are allowed. */
async function letThrough(times: number, ...processes: [Permits, ...Permits[]]): Promise<number> {
  const taken = await Promise.all(
    Array.from({ length: times }, (_, n) => (processes[n % processes.length] ?? processes[0]).take('address:203.0.113.7')),
  )
  return taken.filter((one) => !('refusal' in one)).length
}

const statuses = async (times: number, client: Awaited<ReturnType<typeof appOn>>['anonymous']) => {
  const found: number[] = []
  while (found.length < times) found.push((await client.get('/issues')).status)
  return found
}

describe('a high rate limit', () => {
  it('is shared by processes with one store', async () => {
    const store = open()

    expect(await letThrough(300, createPermits(200, store), createPermits(200, store))).toBe(200)
  })

  it('has no upper bound', async () => {
    const limit = Number.MAX_SAFE_INTEGER
    const { anonymous } = await appOn(app.db, { RATE_LIMIT: String(limit) })

    const { headers } = await anonymous.get('/issues')

    expect(headers['ratelimit-policy']).toBe(`"default";q=${limit};w=60`)
    expect(headers['ratelimit']).toMatch(/^"default";r=90\d{14};t=60$/)
  })
})

describe('the store in memory', () => {
  it('evicts the least recently used callers', async () => {
    const store = open({ callersMax: 2 })
    for (const key of ['first', 'second', 'first', 'third']) await store.consume(key)

    expect(await store.get('first')).toMatchObject({ consumedPoints: 2 })
    expect(await store.get('second')).toBeNull()
    expect(await store.get('third')).toMatchObject({ consumedPoints: 1 })
  })
})

describe.runIf(isDirectServer)('the store in PostgreSQL', () => {
  it('shares counts and blocks between processes', async () => {
    const [one, other] = [await appOn(app.db, { RATE_LIMIT: '4' }), await appOn(app.db, { RATE_LIMIT: '4' })]

    expect([...(await statuses(3, one.anonymous)), ...(await statuses(2, other.anonymous))]).toEqual([200, 200, 200, 200, 429])
    await statuses(10, one.anonymous)
    expect(await statuses(1, other.anonymous)).toEqual([403])
  })

  /** Opens the same database with read-only sessions, as on a primary that became a replica. */
  function readOnly() {
    const { pool } = app.db as Extract<typeof app.db, { engine: 'server' }>
    const url = new URL(pool.options.connectionString ?? '')
    url.searchParams.set('options', '-c timezone=UTC -c default_transaction_read_only=on')
    const db = openPostgres({ url: url.href, pools: { read: 2, write: 2 } })
    onTestFinished(() => db.close())
    return db
  }

  it('falls back to memory while the database is read-only', async () => {
    const issue = await app.create.issue()
    const { anonymous } = await appOn(readOnly(), { RATE_LIMIT: '4' })
    const ada = await app.create.user()

    expect((await anonymous.get('/profile', { authorization: `Bearer ${ada.token}` })).body).toMatchObject({ id: ada.id })
    expect((await anonymous.get(`/issues/${issue}`)).status).toBe(200)
    expect(await statuses(14, anonymous)).toEqual([200, 200, 200, ...Array<number>(10).fill(429), 403])
    expect(await queryRows(app.db, sql`SELECT r.key FROM rate_limits r`)).toEqual([])
  })

  it('falls back to memory if the disk is full', async () => {
    const full = Object.assign(new Error('could not extend file: No space left on device'), { code: '53100' })
    const pool = { query: () => Promise.reject(full) } as unknown as Pool
    const limit = createPermits(3, open({ pool }))

    expect(await letThrough(5, limit)).toBe(3)
  })

  it('deletes expired counts', async () => {
    const db = app.db as Extract<typeof app.db, { engine: 'server' }>
    await app.db.execute(
      sql`INSERT INTO rate_limits (key, points, expire) VALUES ('rate:over', 1, 1), ('rate:on', 1, 99999999999999)`,
    )
    vi.useFakeTimers({ toFake: ['setInterval'] })
    open({ pool: db.pool })
    vi.advanceTimersByTime(300_000)
    vi.useRealTimers()

    const stored = () => queryRows(app.db, sql`SELECT r.key FROM rate_limits r ORDER BY r.key`)
    await expect.poll(stored).toEqual([{ key: 'rate:on' }])
  })
})

describe.runIf(testRedisUrl !== undefined)('the store in Redis', () => {
  let url: string
  beforeAll(async () => {
    url = (await openTestRedis()) ?? ''
  })
  const redis = () => {
    const client = new Redis(url)
    onTestFinished(() => client.disconnect())
    return client
  }

  it('shares counts and blocks between processes until the window ends', async () => {
    const env = { RATE_LIMIT: '4', REDIS_URL: url }
    const [one, other] = [await appOn(app.db, env), await appOn(app.db, env)]
    await expect.poll(() => redis().dbsize()).toBe(0)
    await vi.waitFor(async () => {
      await Promise.all([statuses(1, one.anonymous), statuses(1, other.anonymous)])
      expect(Number(await redis().get('rate:address:127.0.0.1'))).toBeGreaterThanOrEqual(2)
    }, SOON)
    await redis().flushdb()

    expect([...(await statuses(3, one.anonymous)), ...(await statuses(2, other.anonymous))]).toEqual([200, 200, 200, 200, 429])
    await statuses(10, one.anonymous)
    expect(await statuses(1, other.anonymous)).toEqual([403])
    expect(await redis().ttl('rate:address:127.0.0.1')).toBeGreaterThan(3_500)

    await redis().pexpire('rate:address:127.0.0.1', 1)
    await expect.poll(() => statuses(1, other.anonymous)).toEqual([200])
  })
})

describe('an unreachable Redis', () => {
  it('leaves each process counting in memory and is logged once', async () => {
    const { anonymous, logged } = await appOn(app.db, { RATE_LIMIT: '3', REDIS_URL: 'redis://127.0.0.1:1' })

    expect(await statuses(14, anonymous)).toEqual([200, 200, 200, ...Array<number>(10).fill(429), 403])
    expect(logged.filter(({ msg }) => /Redis is down/.test(String(msg)))).toHaveLength(1)
  })
})

describe.runIf(testRedisUrl !== undefined)('an unresponsive Redis', () => {
  it('delays one request only, and counts again when it responds', async () => {
    const password = 'correct horse'
    const [ada, url] = [await app.create.user({ password_hash: await hashPassword(password) }), (await openTestRedis()) ?? '']
    const redis = new Redis(url)
    onTestFinished(() => redis.disconnect())
    const proxy = await startStallingProxy(url)
    const { anonymous, logged } = await appOn(app.db, { RATE_LIMIT: '1000', REDIS_URL: proxy.url })
    const isCounted = async () => {
      await redis.flushdb()
      await anonymous.get('/issues')
      return redis.exists('rate:address:127.0.0.1')
    }
    const read = async (headers = {}) => expect((await anonymous.get('/profile', headers)).status).toBe(200)
    const unavailable = () => logged.filter(({ msg }) => /Redis is down/.test(String(msg)))
    await vi.waitFor(async () => expect(await isCounted()).toBe(1), SOON)

    // The first connection may take longer than an answer may.
    logged.length = 0
    proxy.stall()
    await read(basic(ada.email, password))
    await vi.waitFor(() => expect(unavailable()).toHaveLength(1), SOON)
    const commands = vi.spyOn(Redis.prototype, 'sendCommand')
    onTestFinished(() => commands.mockRestore())
    for (let turn = 0; turn < 10; turn++) {
      await read()
      await read(bearer(ada.token))
    }
    const counts = commands.mock.calls.flatMap(([{ name, promise }]) => (name.startsWith('eval') ? [promise] : []))
    proxy.resume()

    // The client refuses to send counts: a request that waited for Redis would get another error, after a timeout.
    const refusals = await Promise.all(counts.map((count) => count.catch((error: Error) => error.message)))
    expect(new Set(refusals)).toEqual(new Set(["Stream isn't writeable and enableOfflineQueue options is false"]))
    expect(unavailable()).toHaveLength(1)
    await vi.waitFor(async () => expect(await isCounted()).toBe(1), SOON)
  })
})
