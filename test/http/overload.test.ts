import { describe, expect, onTestFinished, it, vi } from 'vitest'

import { setEventLoopDelay } from './event-loop-delay.ts'

import type { Query } from '../../src/database/database.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { engine } from '../helpers/database.ts'
import { useApp } from '../helpers/use-app.ts'
import { appOn } from './app-on.ts'

const SOON = { timeout: 15_000, interval: 20 }

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

describe.runIf(engine === 'server')('slow lists', () => {
  const app = useApp({ keepRows: true })

  async function withIssuesLocked(options: { readMaxMs: number }) {
    const db = app.db as Extract<typeof app.db, { engine: 'server' }>
    const { connectionString = '' } = db.pool.options
    const few = openPostgres({ url: connectionString, poolMax: 2, ...options })
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

describe('limits of pages', () => {
  const app = useApp({ keepRows: true })

  it('allow five queries and ten pages at a time, let fifty wait and refuse the rest', async () => {
    const { url_name } = await app.create.place()
    let [concurrency, most] = [0, 0]
    let open = () => {}
    const opened = new Promise<void>((resolve) => (open = resolve))
    const read: Query = async (schema, statement) => {
      most = Math.max(most, ++concurrency)
      await opened
      return app.db.read(schema, statement).finally(() => concurrency--)
    }
    const { anonymous } = await appOn({ ...app.db, read }, { TRUST_PROXY: '1' })

    const crowd = Array.from({ length: 70 }, (_, n) =>
      anonymous.send(n % 2 === 0 ? 'GET' : 'HEAD', `/places/${url_name}`, { headers: { 'x-forwarded-for': `203.0.113.${n}` } }),
    )
    await expect.poll(() => most).toBe(5)
    open()
    const statuses = (await Promise.all(crowd)).map(({ status }) => status)

    expect(most).toBe(5)
    expect(statuses.filter((status) => status === 503)).toHaveLength(10)
    expect(statuses.filter((status) => status === 200)).toHaveLength(60)
  })
})
