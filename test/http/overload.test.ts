import { describe, expect, onTestFinished, it, vi } from 'vitest'

import { isDirectServer } from '../helpers/servers.ts'
import { setEventLoopDelay } from './event-loop-delay.ts'

import { type Query, sql } from '../../src/database/database.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { engine } from '../helpers/database.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { type ApiResponse, createClient } from '../helpers/client.ts'
import { stopTimers, until } from '../helpers/stopped-timers.ts'
import { appOn, bearer } from './app-on.ts'

const SOON = { timeout: 60_000, interval: 20 }

// The embedded database works in the event loop of the service, so the loop is late at times without an overload.
describe.runIf(engine === 'server')('load shedding', () => {
  const app = useApp({ keepRows: true, eventLoopDelayMaxMs: 1_000, eventLoopSampleMs: 100 })
  const ask = () => app.as.anonymous.get('/issues', { 'user-agent': '' })
  const page = () => app.as.anonymous.send('GET', '/places', { headers: { accept: 'text/html' } })

  it('returns 503 for the API and pages under overload, and stays alive', async () => {
    setEventLoopDelay(2_000)

    await vi.waitFor(async () => {
      expect(await ask()).toMatchObject({
        status: 503,
        headers: { 'retry-after': '5' },
        body: { message: 'The service is not available right now: try again shortly.' },
      })
    }, SOON)
    await vi.waitFor(async () => expect((await page()).status).toBe(503), SOON)
    expect(await page()).toMatchObject({
      headers: { 'retry-after': '5' },
      text: expect.stringContaining('The service is busy') as string,
    })
    expect((await app.as.anonymous.send('GET', '/health/live')).status).toBe(200)

    setEventLoopDelay(20)
    await vi.waitFor(async () => expect((await ask()).status).toBe(403), SOON)
    await vi.waitFor(async () => expect((await page()).status).toBe(200), SOON)
  })
})

describe.runIf(isDirectServer)('slow lists', () => {
  const app = useApp({ keepRows: true })

  async function withIssuesLocked(options: { readMaxMs: number }) {
    const db = app.db as Extract<typeof app.db, { engine: 'server' }>
    const { connectionString = '' } = db.pool.options
    const few = openPostgres({ url: connectionString, pools: { read: 2, write: 2 }, ...options })
    const lock = await db.pool.connect()
    await lock.query('BEGIN; LOCK TABLE issues IN ACCESS EXCLUSIVE MODE')
    onTestFinished(async () => {
      await lock.query('ROLLBACK').finally(() => lock.release())
      await few.close()
    })
    const { anonymous } = await appOn(few)
    return { anonymous, unlock: () => lock.query('ROLLBACK') }
  }

  it('return 503 with advice', async () => {
    const { anonymous } = await withIssuesLocked({ readMaxMs: 200 })

    const answers = await Promise.all([
      anonymous.get('/issues'),
      anonymous.get('/issues?lat=1&lng=2&sort=distance&sort_direction=DESC'),
    ])

    expect(answers).toMatchObject(
      Array(2).fill({
        status: 503,
        headers: { 'retry-after': '30' },
        body: { message: 'This search takes too long: ask for a smaller area or an earlier page, or try again later.' },
      }),
    )
  })

  it('do not delay the health check or authentication', async () => {
    const ada = await app.create.user()
    const { anonymous, unlock } = await withIssuesLocked({ readMaxMs: 30_000 })
    let answered = 0
    const lists = Array.from({ length: 8 }, async () => {
      await anonymous.get('/issues')
      answered += 1
    })

    const [ready, profile] = await Promise.all([
      anonymous.send('GET', '/health/ready'),
      anonymous.get('/issues?sort=beauty', { authorization: `Bearer ${ada.token}` }),
    ])

    expect([ready.status, profile.status]).toEqual([200, 422])
    expect(answered).toBe(0)
    await unlock()
    await Promise.all(lists)
  })
})

describe.runIf(isDirectServer)('a locked issue', () => {
  const app = useApp({ keepRows: true })
  const pass = stopTimers()

  async function withIssueLocked(options: { lockMaxMs?: number }) {
    const { pool } = app.db as Extract<typeof app.db, { engine: 'server' }>
    const few = openPostgres({ url: pool.options.connectionString ?? '', pools: { read: 2, write: 5 }, ...options })
    const locked = await app.create.issue()
    const lock = await pool.connect()
    await lock.query(`BEGIN; SELECT FROM issues WHERE id = ${locked} FOR UPDATE`)
    const unlock = () => lock.query('ROLLBACK')
    onTestFinished(async () => {
      lock.release()
      await few.close()
    })
    const { fastify, anonymous } = await appOn(few)
    const order: string[] = []
    const votes: Promise<ApiResponse>[] = []
    // A request of a failed test would outlive its database.
    onTestFinished(() => unlock().then(() => void Promise.allSettled(votes)))
    const vote = async (issue: number, name: string) => {
      const { token } = await app.create.user()
      const answer = createClient(fastify, bearer(token)).send('POST', `/api/v2/issues/${issue}/vote`, { body: {} })
      votes.push(answer.finally(() => order.push(name)))
      return answer
    }
    return { locked, anonymous, vote, order, unlock }
  }

  it('refuses its 24th change at once, while other issues, reads and readiness are served, and serves 23 when it is free', async () => {
    const { locked, anonymous, vote, order, unlock } = await withIssueLocked({})
    const other = await app.create.issue()

    const votes = Array.from({ length: 24 }, () => vote(locked, 'locked'))
    await until(() => order.length > 0)
    const served = await Promise.all([
      vote(other, 'other'),
      anonymous.get(`/issues/${locked}`),
      anonymous.send('GET', '/health/ready'),
    ])
    const orderBefore = [...order]
    await unlock()
    const answers = await Promise.all(votes)

    expect(served.map(({ status }) => status)).toEqual([201, 200, 200])
    expect(orderBefore).toEqual(['locked', 'other'])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array<number>(23).fill(201), 503])
    expect(answers.find(({ status }) => status === 503)?.headers).toMatchObject({ 'retry-after': '5' })
  })

  it('refuses a change that has no turn for two seconds', async () => {
    const { locked, vote, order, unlock } = await withIssueLocked({})

    const votes = Array.from({ length: 24 }, () => vote(locked, 'locked'))
    await until(() => order.length > 0)
    pass(1_999)
    await vote(await app.create.issue(), 'other')
    const early = order.length
    pass(1)
    await until(() => order.length > 21)
    await unlock()

    expect(early).toBe(2)
    expect((await Promise.all(votes)).map(({ status }) => status).toSorted()).toEqual([
      201,
      201,
      201,
      ...Array<number>(21).fill(503),
    ])
  })

  it('refuses a change that waits for its lock for too long', async () => {
    const { locked, vote } = await withIssueLocked({ lockMaxMs: 100 })

    expect(await vote(locked, 'locked')).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
  })
})

describe.runIf(isDirectServer)('changes that occupy all connections', () => {
  const app = useApp({ keepRows: true })

  it('make the process not ready', async () => {
    const { connectionString: url = '' } = (app.db as Extract<typeof app.db, { engine: 'server' }>).pool.options
    const one = openPostgres({ url, pools: { write: 1 }, connectMaxMs: 1_000 })
    onTestFinished(() => one.close())
    const { anonymous } = await appOn(one)
    const occupied = await one.pool.connect()
    const starved = await anonymous.send('GET', '/health/ready')
    occupied.release()

    const ready = await anonymous.send('GET', '/health/ready')

    expect([starved.status, starved.headers['retry-after'], ready.status]).toEqual([503, '5', 200])
  })
})

describe.runIf(isDirectServer)('openPostgres', () => {
  const app = useApp({ keepRows: true })

  it('opens at most the given numbers of connections', async () => {
    const { connectionString: url = '' } = (app.db as Extract<typeof app.db, { engine: 'server' }>).pool.options
    const few = openPostgres({ url, pools: { read: 2, write: 3, export: 1 } })
    onTestFinished(() => few.close())
    const statements = Array.from({ length: 5 }, () => [
      queryRows(few, sql`SELECT 1`),
      queryRows(few.reader, sql`SELECT 1`),
      few.snapshot((snapshot) => queryRows(snapshot, sql`SELECT 1`)),
    ])

    await Promise.all(statements.flat())

    expect(few.load().map(({ name, total }) => [name, total])).toEqual([
      ['primary', 3],
      ['reads', 2],
      ['snapshots', 1],
    ])
  })
})

describe('limits of pages', () => {
  const app = useApp({ keepRows: true })
  stopTimers()

  it.each([
    [5, {}],
    [2, { DATABASE_POOL_READ: '4' }],
  ])('allow %i queries and ten pages at a time, let fifty wait and refuse the rest: %j', async (queries, env) => {
    const { url_name } = await app.create.place()
    let [concurrency, most] = [0, 0]
    let open = () => {}
    const opened = new Promise<void>((resolve) => (open = resolve))
    const read: Query = async (statement) => {
      most = Math.max(most, ++concurrency)
      await opened
      return app.db.reader.query(statement).finally(() => concurrency--)
    }
    const { anonymous } = await appOn({ ...app.db, reader: { query: read } }, { ...env, TRUST_PROXY: '1' })

    const crowd = Array.from({ length: 70 }, (_, n) =>
      anonymous.send(n % 2 === 0 ? 'GET' : 'HEAD', `/places/${url_name}`, { headers: { 'x-forwarded-for': `203.0.113.${n}` } }),
    )
    await until(() => most === queries)
    open()
    const statuses = (await Promise.all(crowd)).map(({ status }) => status)

    expect(most).toBe(queries)
    expect(statuses.filter((status) => status === 503)).toHaveLength(10)
    expect(statuses.filter((status) => status === 200)).toHaveLength(60)
  })
})
