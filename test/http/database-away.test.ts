import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, onTestFinished, it } from 'vitest'

import { sql, type Transaction } from '../../src/database/database.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { isTimeout, isUnreachable } from '../../src/database/connection-errors.ts'
import { engine } from '../helpers/database.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'
import { useApp } from '../helpers/use-app.ts'
import { appOn } from './app-on.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { startRefusingServer } from '../helpers/servers/refusing-server.ts'

const app = useApp({ keepRows: true })

const refused = () => Promise.reject(Object.assign(new Error('connect ECONNREFUSED 10.0.0.5:5432'), { code: 'ECONNREFUSED' }))

async function withoutDatabase() {
  if (engine === 'embedded')
    return appOn({ ...app.db, query: refused, reader: { query: refused }, ping: refused, transaction: refused } as typeof app.db)
  const unreachable = openPostgres({ url: 'postgres://unknown@127.0.0.1:1/nothing' })
  return appOn(unreachable)
}

describe('an unreachable database', () => {
  it('makes every operation return 503 with Retry-After, without the address of the database', async () => {
    const { anonymous, logged } = await withoutDatabase()
    const issue = '/issues/1'

    const answers = await Promise.all(
      ['/issues', issue, `${issue}/comments`, '/places/denver', '/users/1', '/issues?place_url=denver&sort=rating'].map((path) =>
        anonymous.get(path),
      ),
    )

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 503))
    expect(answers.map(({ headers }) => headers['retry-after'])).toEqual(answers.map(() => '5'))
    expect(answers[0]?.body).toMatchObject({ message: 'The service is not available right now: try again shortly.' })
    expect(JSON.stringify(answers)).not.toMatch(/ECONNREFUSED|:5432|127\.0\.0\.1:1/)
    expect(logged.filter(({ msg }) => msg === 'request failed')).toHaveLength(answers.length)
  })

  it('leaves the process alive but not ready', async () => {
    const { anonymous } = await withoutDatabase()
    const [live, ready, health] = await Promise.all(
      ['/health/live', '/health/ready', '/health'].map((url) => anonymous.send('GET', url)),
    )

    expect(live).toMatchObject({ status: 200, body: { status: 'ok' } })
    expect([ready, health]).toMatchObject([
      { status: 503, headers: { 'retry-after': '5' } },
      { status: 503, headers: { 'retry-after': '5' } },
    ])
  })

  it('leaves the API reference available', async () => {
    const { anonymous } = await withoutDatabase()

    expect((await anonymous.send('GET', '/docs/json')).status).toBe(200)
  })
})

describe('isUnreachable', () => {
  it.runIf(engine === 'server')('recognizes errors of Prisma’s client, of transactions and of bulk sessions', async () => {
    const unreachable = openPostgres({ url: 'postgres://unknown@127.0.0.1:1/nothing' })
    onTestFinished(() => unreachable.close())
    const ways = [
      () => unreachable.prisma.user.count(),
      () => unreachable.prisma.$queryRaw`SELECT 1`,
      () => unreachable.transaction((tx) => tx.prisma.user.count()),
      () => unreachable.transaction((tx) => queryRows(tx, sql`SELECT 1`)),
      () => unreachable.bulk((session) => queryRows(session, sql`SELECT 1`)),
    ]

    const errors = await Promise.all(ways.map((way) => way().catch((error: unknown) => error)))

    expect(errors.map(isUnreachable)).toEqual(ways.map(() => true))
  })
})

/** Opens a TCP proxy to the server that can drop packets silently or close both connections. */
async function silentWay(serverUrl: string) {
  const { port, hostname } = new URL(serverUrl)
  const sockets: Socket[] = []
  const proxy = createServer((socket) => {
    const onward = connect(Number(port), hostname)
    sockets.push(
      socket.on('error', () => undefined),
      onward.on('error', () => undefined),
    )
    socket.pipe(onward).pipe(socket)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  })
  const url = new URL(serverUrl)
  url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
  return {
    url: url.href,
    fallSilent: () => sockets.forEach((socket) => socket.unpipe().pause()),
    reset: () => sockets.forEach((socket) => socket.resetAndDestroy()),
  }
}

describe.runIf(testDatabaseUrl !== undefined)('a connection that breaks during a transaction (servers only)', () => {
  const ways = [
    { by: 'the server', cut: (tx: Transaction) => queryRows(tx, sql`SELECT pg_terminate_backend(pg_backend_pid())`) },
    { by: 'the network', cut: async (_tx: Transaction, reset: () => void) => reset() },
  ]

  it.each(ways)('makes every later statement fail as unreachable: $by', async ({ cut }) => {
    const { url, reset } = await silentWay(testDatabaseUrl ?? '')
    const database = openPostgres({ url })
    onTestFinished(() => database.close())
    const met: unknown[] = []
    const note = (error: unknown) => void met.push(error)

    await database
      .transaction(async (tx) => {
        await tx.execute(sql`SELECT 1`)
        await cut(tx, reset).catch(note)
        await queryRows(tx, sql`SELECT 1`).catch(note)
        await queryRows(tx, sql`SELECT 1`).catch(note)
        throw new Error('so that nothing is committed')
      })
      .catch(() => undefined)

    expect(met.length).toBeGreaterThanOrEqual(2)
    expect(met.map(isUnreachable)).toEqual(met.map(() => true))
  })

  it.each(ways)('makes the commit fail as unreachable: $by', async ({ cut }) => {
    const { url, reset } = await silentWay(testDatabaseUrl ?? '')
    const database = openPostgres({ url })
    onTestFinished(() => database.close())

    const met: unknown = await database
      .transaction(async (tx) => {
        await tx.execute(sql`SELECT 1`)
        await cut(tx, reset).catch(() => undefined)
      })
      .catch((error: unknown) => error)

    expect(met).toBeInstanceOf(Error)
    expect(isUnreachable(met)).toBe(true)
  })
})

describe('a server with too many connections', () => {
  it('makes reads, changes and pages return 503 with Retry-After', async () => {
    const full = openPostgres({ url: await startRefusingServer('53300', 'sorry, too many clients already') })
    onTestFinished(() => full.close())
    const { anonymous } = await appOn(full)
    const authorization = 'Bearer a-token'

    const answers = await Promise.all([
      anonymous.get('/issues'),
      anonymous.get('/issues/1', { authorization }),
      anonymous.send('POST', '/api/v2/issues/1/vote', { body: {}, headers: { authorization } }),
      anonymous.send('GET', '/places', { headers: { accept: 'text/html' } }),
      anonymous.send('GET', '/health/ready'),
    ])

    expect(answers).toMatchObject(answers.map(() => ({ status: 503, headers: { 'retry-after': '5' } })))
  })
})

describe('isTimeout', () => {
  const slow = sql`SELECT 1 FROM pg_sleep(5)`
  const limit = sql`SELECT set_config('statement_timeout', '50', true)`

  it.runIf(engine === 'server')('recognizes slow statements of transactions and slow starts of transactions', async () => {
    const ways = [
      () => app.db.transaction(async (tx) => [await queryRows(tx, limit), await queryRows(tx, slow)]),
      () => app.db.transaction(async (tx) => [await queryRows(tx, limit), await tx.execute(slow)]),
      () => app.db.prisma.$transaction(async () => setTimeout(100), { timeout: 20 }),
    ]

    const errors = await Promise.all(ways.map((way) => way().catch((error: unknown) => error)))

    expect(errors.map(isTimeout)).toEqual(ways.map(() => true))
  })
})

describe('isUnreachable after a timeout', () => {
  it.runIf(testDatabaseUrl !== undefined)(
    'recognizes a database that stops responding after the timeout (servers only)',
    async () => {
      const { url, fallSilent } = await silentWay(testDatabaseUrl ?? '')
      const database = openPostgres({ url, readMaxMs: 200 })
      await queryRows(database.reader, sql`SELECT 1`)
      fallSilent()

      const answer = await queryRows(database.reader, sql`SELECT 1`).catch((error: unknown) => error)

      expect(isUnreachable(answer)).toBe(true)
      await database.close()
    },
  )
})

describe('a reachable database', () => {
  it('makes the process alive and ready, without a User-Agent', async () => {
    const answers = await Promise.all(
      ['/health/live', '/health/ready', '/health'].map((url) =>
        app.as.anonymous.send('GET', url, { headers: { 'user-agent': '' } }),
      ),
    )

    expect(answers).toMatchObject(Array(3).fill({ status: 200, body: { status: 'ok' } }))
  })
})
