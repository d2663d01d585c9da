import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, it, vi } from 'vitest'

import { type Database, sql } from '../../src/database/database.ts'
import { openPostgres, type PostgresDatabase, type PostgresOptions } from '../../src/database/postgres.ts'
import { readFromOneServer, readFromPrimary } from '../../src/database/replicas.ts'
import { createTestDatabase, engine } from '../helpers/database.ts'
import { createFactories, GREEN } from '../helpers/factories.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'
import { startStallingProxy } from '../helpers/servers/stalling-proxy.ts'
import { appOn } from '../http/app-on.ts'
import { queryRows } from '../helpers/query-rows.ts'

const serverUrl = testDatabaseUrl ?? ''

const WAIT = { timeout: 30_000 }

type Listed = { metadata: { pagination: { entries: number } }; errors: object } & Record<string, unknown[]>

// Two databases of one server act as replicas. Their rows differ, so that a test sees which one was read.
describe.runIf(engine === 'server')('replicas', () => {
  let [primaryUrl, oneUrl, twoUrl] = ['', '', '']
  let dropAll: () => Promise<unknown>
  beforeAll(async () => {
    const made = await Promise.all([1, 2, 3].map(() => createTestDatabase(serverUrl, inject('template'))))
    ;[primaryUrl = '', oneUrl = '', twoUrl = ''] = made.map(({ url }) => url)
    dropAll = () => Promise.all(made.map(({ drop }) => drop()))
    await runOn(primaryUrl, (db) => db.executeScript("CREATE FUNCTION server_name() RETURNS text RETURN 'the primary'"))
    await runOn(oneUrl, (db) => fill(db, 1))
    await runOn(twoUrl, (db) => fill(db, 2))
  })
  afterAll(() => dropAll())

  async function runOn(url: string, work: (db: Database) => Promise<unknown>) {
    const db = openPostgres({ url, pools: { read: 1, write: 1 } })
    try {
      await work(db)
    } finally {
      await db.close()
    }
  }

  /** Creates `count` places, issues and users at GREEN, and a function that returns the name of the server. */
  async function fill(db: Database, count: number) {
    const create = createFactories(db)
    for (let n = 1; n <= count; n++) {
      const reporter = await create.user({ share_location: true })
      await create.place({ url_name: n === 1 ? 'green' : `green-${n}` })
      await create.issue({ at: GREEN, reporter })
    }
    await db.executeScript(`CREATE FUNCTION server_name() RETURNS text RETURN 'replica ${count}'`)
  }

  function open(replicaUrls: string[], errors: string[] = [], more: Partial<PostgresOptions> = {}): PostgresDatabase {
    const onConnectionLost = ({ message }: Error) => void errors.push(message)
    const db = openPostgres({ url: primaryUrl, replicaUrls, pools: { read: 2, write: 2 }, onConnectionLost, ...more })
    onTestFinished(() => db.close())
    return db
  }
  const readServerName = async (db: Database) =>
    (await queryRows<{ name: string }>(db.reader, sql`SELECT server_name() AS name`))[0]?.name

  it.each(['/issues?details=true', '/issues?place_url=green'])(
    'serve the count and the rows of a response from one replica, and take turns: %s',
    async (path) => {
      const { anonymous } = await appOn(open([oneUrl, twoUrl]))

      const answers: Listed[] = []
      // Each URL differs, because a cached one would be answered from memory, or use a turn for its version.
      for (let n = 0; n < 6; n++) answers.push((await anonymous.get(`${path}&n=${n}`)).body as Listed)

      const seen = answers.map(({ metadata, errors, ...lists }) => [
        metadata.pagination.entries,
        errors,
        ...Object.values(lists).map((rows) => rows.length),
      ])
      expect(seen).toEqual([1, 2, 1, 2, 1, 2].map((count) => [count, {}, count]))
    },
  )

  it('serve all reads of a web page from one replica', async () => {
    const { anonymous } = await appOn(open([oneUrl, twoUrl]))

    const pages: string[] = []
    for (let n = 0; n < 4; n++) pages.push((await anonymous.send('GET', '/places/green')).text)

    const seen = pages.map((text) => [
      /<h2 id="issues">(?:<span[^>]*>)?(\d)/.exec(text)?.[1],
      text.split('<li class="card issue"').length - 1,
    ])
    expect(seen).toEqual([1, 2, 1, 2].map((count) => [String(count), count]))
  })

  it('serve no reads of a user with a write position if they are not standbys, because they report no position', async () => {
    const db = open([oneUrl, twoUrl])

    expect([await readFromOneServer(() => readServerName(db), '0/1'), await readServerName(db)]).toEqual([
      'the primary',
      'replica 1',
    ])
  })

  it('serve no reads inside readFromPrimary', async () => {
    const db = open([oneUrl, twoUrl])

    expect(await readFromPrimary(() => readServerName(db))).toBe('the primary')
  })

  it('take turns for each read outside of a request', async () => {
    const db = open([oneUrl, twoUrl])

    expect([await readServerName(db), await readServerName(db), await readServerName(db)]).toEqual([
      'replica 1',
      'replica 2',
      'replica 1',
    ])
  })

  it.each([
    ['a conflict with recovery', '40001'],
    ['a table that is not replayed yet', '42P01'],
    ['a shutdown', '57P01'],
  ])('leave the failed read and all further reads of the request to the primary after %s', async (_, sqlstate) => {
    await runOn(oneUrl, (db) =>
      db.executeScript(`CREATE FUNCTION only_primary() RETURNS text LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'replica failed' USING ERRCODE = '${sqlstate}'; END $$`),
    )
    await runOn(primaryUrl, (db) => db.executeScript("CREATE FUNCTION only_primary() RETURNS text RETURN 'the primary'"))
    const errors: string[] = []
    const db = open([oneUrl], errors)

    const servers = await readFromOneServer(async () => [
      await readServerName(db),
      (await queryRows<{ name: string }>(db.reader, sql`SELECT only_primary() AS name`))[0]?.name,
      await readServerName(db),
    ])

    for (const url of [oneUrl, primaryUrl]) await runOn(url, (server) => server.executeScript('DROP FUNCTION only_primary()'))
    expect(servers).toEqual(['replica 1', 'the primary', 'the primary'])
    expect(errors).toEqual(['replica failed'])
  })

  it.each([
    ['is unreachable', 'postgres://user@127.0.0.1:1/database'],
    ['has no such database', `${serverUrl.replace(/\/[^/]*$/, '')}/fixpoint_test_none`],
  ])('are excluded for a while if one %s', async (_, url) => {
    const errors: string[] = []
    const db = open([url, twoUrl], errors)

    const servers = []
    for (let n = 0; n < 4; n++) servers.push(await readServerName(db))

    expect(servers).toEqual(['the primary', 'replica 2', 'replica 2', 'replica 2'])
    expect(errors).toHaveLength(1)
  })

  it('are probed in the background at growing intervals after one hangs, and serve reads again when it responds', async () => {
    const proxy = await startStallingProxy(oneUrl)
    proxy.stall()
    const errors: string[] = []
    const db = open([proxy.url], errors, { connectMaxMs: 1_500 })
    const readConcurrently = async () => new Set(await Promise.all(Array.from({ length: 8 }, () => readServerName(db))))
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    /** Returns the server of eight reads after this time, whether they waited for a failed probe, and the number of connections that they opened. */
    const after = async (seconds: number, expected: number) => {
      const before = [proxy.connections(), errors.length] as const
      vi.setSystemTime(Date.now() + seconds * 1_000)
      const servers = await readConcurrently()
      const hasWaited = errors.length > before[1]
      // The primary may respond before the proxy has counted the connection to the replica, and long before on a busy machine.
      if (expected > 0) await vi.waitFor(() => expect(proxy.connections()).toBeGreaterThan(before[0]), WAIT)
      await wait(300)
      const opened = proxy.connections() - before[0]
      await vi.waitFor(() => expect(errors).toHaveLength(before[1] + opened), WAIT)
      return [[...servers].join(), hasWaited ? 'waited' : 'at once', opened]
    }
    await readConcurrently()

    const expected = [0, 1, 0, 1, 0, 1, 0, 1]
    const probes = []
    for (const [n, seconds] of [9, 2, 11, 10, 30, 11, 50, 11].entries()) probes.push(await after(seconds, expected[n] ?? 0))
    proxy.resume()
    vi.setSystemTime(Date.now() + 61_000)
    await vi.waitFor(async () => expect(await readConcurrently()).toEqual(new Set(['replica 1'])), WAIT)

    expect(probes).toEqual(expected.map((opened) => ['the primary', 'at once', opened]))
  })

  it('leave a read to the primary if one hangs with open connections', async () => {
    const proxy = await startStallingProxy(oneUrl)
    const errors: string[] = []
    const db = open([proxy.url], errors, { readMaxMs: 500 })
    const before = await readServerName(db)
    // The role of the replica is read after the first response.
    await wait(300)
    proxy.stall()

    expect([before, await readServerName(db), await readServerName(db)]).toEqual(['replica 1', 'the primary', 'the primary'])
    expect(errors).toEqual(['Query read timeout'])
  })

  it('do not repeat a failing statement on the primary', async () => {
    const errors: string[] = []

    await expect(queryRows(open([oneUrl], errors).reader, sql`SELECT 1 / 0`)).rejects.toMatchObject({ code: '22012' })

    expect(errors).toEqual([])
  })
})
