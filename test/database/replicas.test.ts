import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'

import { type Database, sql, type Query } from '../../src/database/database.ts'
import { openPostgres, type PostgresDatabase, type PostgresOptions } from '../../src/database/postgres.ts'
import { onOneReplica, onPrimary } from '../../src/database/replicas.ts'
import { loadListVersion } from '../../src/issues/list/version-loader.ts'
import { createTestDatabase, engine } from '../helpers/database.ts'
import { createFactories, GREEN } from '../helpers/factories.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'
import { startStallingProxy } from '../helpers/servers/stalling-proxy.ts'
import { appOn } from '../http/app-on.ts'
import { queryRows } from '../helpers/query-rows.ts'

const serverUrl = testDatabaseUrl ?? ''

const SOON = { timeout: 5_000 }

type Listed = { metadata: { pagination: { entries: number } }; errors: object } & Record<string, unknown[]>

// Two databases of one server stand in for replicas: by what they hold, a test sees which one answered.
describe.runIf(engine === 'server')('replicas', () => {
  let [primaryUrl, oneUrl, twoUrl] = ['', '', '']
  let dropAll: () => Promise<unknown>
  beforeAll(async () => {
    const made = await Promise.all([1, 2, 3].map(() => createTestDatabase(serverUrl, inject('template'))))
    ;[primaryUrl = '', oneUrl = '', twoUrl = ''] = made.map(({ url }) => url)
    dropAll = () => Promise.all(made.map(({ drop }) => drop()))
    await on(primaryUrl, (db) => db.executeScript("CREATE FUNCTION answer() RETURNS text RETURN 'the primary'"))
    await on(oneUrl, (db) => fill(db, 1))
    await on(twoUrl, (db) => fill(db, 2))
  })
  afterAll(() => dropAll())

  async function on(url: string, work: (db: Database) => Promise<unknown>) {
    const db = openPostgres({ url, poolMax: 1 })
    await work(db).finally(() => db.close())
  }

  /** As many places, issues and users at GREEN as said, and a function that tells who answers. */
  async function fill(db: Database, count: number) {
    const create = createFactories(db)
    for (let n = 1; n <= count; n++) {
      const reporter = await create.user({ share_location: true })
      await create.place({ url_name: n === 1 ? 'green' : `green-${n}` })
      await create.issue({ at: GREEN, reporter })
    }
    await db.executeScript(`CREATE FUNCTION answer() RETURNS text RETURN 'replica ${count}'`)
  }

  function open(replicaUrls: string[], faults: string[] = [], more: Partial<PostgresOptions> = {}): PostgresDatabase {
    const onConnectionLost = ({ message }: Error) => void faults.push(message)
    const db = openPostgres({ url: primaryUrl, replicaUrls, poolMax: 2, onConnectionLost, ...more })
    onTestFinished(() => db.close())
    return db
  }
  const whoAnswers = async (db: Database) =>
    (await queryRows<{ who: string }>({ query: db.read }, sql`SELECT answer() AS who`))[0]?.who

  test.each(['/issues?details=true', '/issues?place_url=green'])(
    'one of them gives the whole answer, its number and its rows, and they take turns: %s',
    async (path) => {
      const { anonymous } = await appOn(open([oneUrl, twoUrl]))

      const answers: Listed[] = []
      // An address that was asked for before would be answered from memory, or take a turn for its version first.
      for (let n = 0; n < 6; n++) answers.push((await anonymous.get(`${path}&n=${n}`)).body as Listed)

      const seen = answers.map(({ metadata, errors, ...lists }) => [
        metadata.pagination.entries,
        errors,
        ...Object.values(lists).map((rows) => rows.length),
      ])
      expect(seen).toEqual([1, 2, 1, 2, 1, 2].map((count) => [count, {}, count]))
    },
  )

  test('one of them gives the whole of a page for people', async () => {
    const { anonymous } = await appOn(open([oneUrl, twoUrl]))

    const pages: string[] = []
    for (let n = 0; n < 4; n++) pages.push((await anonymous.send('GET', '/places/green')).text)

    const seen = pages.map((text) => [/<h2 id="issues">(\d)/.exec(text)?.[1], text.split('<li class="card issue">').length - 1])
    expect(seen).toEqual([1, 2, 1, 2].map((count) => [String(count), count]))
  })

  test('take no reads of whoever wrote where they are no standbys, since nobody knows what is there', async () => {
    const db = open([oneUrl, twoUrl])

    expect([await onOneReplica(() => whoAnswers(db), '0/1'), await whoAnswers(db)]).toEqual(['the primary', 'replica 1'])
  })

  test('take no reads of requests that change something', async () => {
    const db = open([oneUrl, twoUrl])

    expect(await onPrimary(() => whoAnswers(db))).toBe('the primary')
  })

  test('take turns read by read where there is no request', async () => {
    const db = open([oneUrl, twoUrl])

    expect([await whoAnswers(db), await whoAnswers(db), await whoAnswers(db)]).toEqual(['replica 1', 'replica 2', 'replica 1'])
  })

  test('take turns for the versions of lists that were asked for together, whoever asked first', async () => {
    const db = open([oneUrl, twoUrl])
    const seen: (string | undefined)[] = []
    const later: Promise<unknown>[] = []
    const reader = {
      query: (async (...args: Parameters<Query>) => {
        seen.push(await whoAnswers(db))
        // Another request starts while this one is active.
        if (seen.length < 4) later.push(onOneReplica(() => ask()))
        return db.read(...args)
      }) as Query,
    }
    const box = { west: -73, south: 41, east: -72, north: 42 }
    const ask = () => loadListVersion(reader, { kind: 'box', box }, null, { people: [], types: [] })

    await onOneReplica(ask)
    while (later.length > 0) await later.shift()

    expect(seen).toEqual(['replica 1', 'replica 2', 'replica 1', 'replica 2'])
  })

  test.each([
    ['is in conflict with its recovery', '40001'],
    ['has not seen a new table yet', '42P01'],
    ['goes down', '57P01'],
  ])('one that %s leaves the answer to the primary, and all further reads of that answer', async (_, sqlstate) => {
    await on(oneUrl, (db) =>
      db.executeScript(`CREATE FUNCTION only_primary() RETURNS text LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'not here' USING ERRCODE = '${sqlstate}'; END $$`),
    )
    await on(primaryUrl, (db) => db.executeScript("CREATE FUNCTION only_primary() RETURNS text RETURN 'the primary'"))
    const faults: string[] = []
    const db = open([oneUrl], faults)

    const answered = await onOneReplica(async () => [
      await whoAnswers(db),
      (await queryRows<{ who: string }>({ query: db.read }, sql`SELECT only_primary() AS who`))[0]?.who,
      await whoAnswers(db),
    ])

    for (const url of [oneUrl, primaryUrl]) await on(url, (there) => there.executeScript('DROP FUNCTION only_primary()'))
    expect(answered).toEqual(['replica 1', 'the primary', 'the primary'])
    expect(faults).toEqual(['not here'])
  })

  test.each([
    ['is away', 'postgres://nobody@127.0.0.1:1/nothing'],
    ['does not know its database', `${serverUrl.replace(/\/[^/]*$/, '')}/fixpoint_test_none`],
  ])('one that %s is not asked again for a while', async (_, url) => {
    const faults: string[] = []
    const db = open([url, twoUrl], faults)

    const answered = []
    for (let n = 0; n < 4; n++) answered.push(await whoAnswers(db))

    expect(answered).toEqual(['the primary', 'replica 2', 'replica 2', 'replica 2'])
    expect(faults).toHaveLength(1)
  })

  test('one that hangs is asked whether it is back by nobody who waits for it, ever more seldom, and takes reads again when it is', async () => {
    const proxy = await startStallingProxy(oneUrl)
    proxy.stall()
    const faults: string[] = []
    const db = open([proxy.url], faults, { connectMaxMs: 1_500 })
    const crowd = async () => new Set(await Promise.all(Array.from({ length: 8 }, () => whoAnswers(db))))
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    /** Returns the number of connections that eight reads open after this time, and the number of failures found. */
    const after = async (seconds: number) => {
      const before = [proxy.connections(), faults.length] as const
      vi.setSystemTime(Date.now() + seconds * 1_000)
      const begin = performance.now()
      const who = await crowd()
      const isSlow = performance.now() - begin > 1_200
      // The answers come from the primary, perhaps before a connection to the other one has arrived there.
      await wait(300)
      const made = proxy.connections() - before[0]
      await vi.waitFor(() => expect(faults).toHaveLength(before[1] + made), SOON)
      return [[...who].join(), isSlow ? 'slowly' : 'at once', made]
    }
    await crowd()

    const asked = []
    for (const seconds of [9, 2, 11, 10, 30, 11, 50, 11]) asked.push(await after(seconds))
    proxy.resume()
    vi.setSystemTime(Date.now() + 61_000)
    await vi.waitFor(async () => expect(await crowd()).toEqual(new Set(['replica 1'])), SOON)

    expect(asked).toEqual([0, 1, 0, 1, 0, 1, 0, 1].map((made) => ['the primary', 'at once', made]))
  })

  test('one that hangs with our connections open leaves the answer to the primary', async () => {
    const proxy = await startStallingProxy(oneUrl)
    const faults: string[] = []
    const db = open([proxy.url], faults, { readMaxMs: 100 })
    const before = await whoAnswers(db)
    proxy.stall()

    expect([before, await whoAnswers(db), await whoAnswers(db)]).toEqual(['replica 1', 'the primary', 'the primary'])
    expect(faults).toEqual(['Query read timeout'])
  })

  test('a statement that is wrong is wrong at once, without a second try', async () => {
    const faults: string[] = []

    await expect(queryRows({ query: open([oneUrl], faults).read }, sql`SELECT 1 / 0`)).rejects.toMatchObject({ code: '22012' })

    expect(faults).toEqual([])
  })
})
