import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'

import { readConfig } from '../../src/config.ts'
import { sql } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { isUnreachable } from '../../src/database/connection-errors.ts'
import { startGenerationAfterFailover, startGenerationAfterRestore } from '../../src/geo/pyramid/roll-up.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'
import { hasPostgres, startCluster, type TestCluster, type TestServer } from '../helpers/servers/postgres-cluster.ts'
import { WAIT } from './standbys.ts'

const portOf = ({ url }: TestServer) => Number(new URL(url).port)

describe('DATABASE_URL with several hosts', () => {
  const url = 'postgres://fix@one:5433,two,[fd00::1]:5434/fixpoint?target_session_attrs=read-write'
  const env = { PUBLIC_URL: 'https://fix.example.org' }

  it('is passed on with the password of PGPASSWORD', () => {
    const { databaseUrl } = readConfig({ ...env, DATABASE_URL: url, PGPASSWORD: 'a b' })

    expect(databaseUrl).toBe(url.replace('fix@', 'fix:a%20b@'))
  })

  it.each([
    ['does not ask for the primary', url.replace('read-write', 'any')],
    ['has an invalid host', url.replace('two', 'a b')],
  ])('is refused if it %s', (_, DATABASE_URL) => {
    expect(() => readConfig({ ...env, DATABASE_URL })).toThrow('DATABASE_URL must be an address like postgres://')
  })
})

describe.runIf(testDatabaseUrl !== undefined && hasPostgres)('a failover (needs an installed PostgreSQL)', () => {
  let cluster: TestCluster
  let standby: TestServer
  beforeAll(async () => {
    cluster = await startCluster()
    standby = await cluster.addStandby()
  })
  afterAll(() => cluster.close())

  it('lets connections go to the new primary, which raises no alarm as a replica', async () => {
    const { primary } = cluster
    const url = `postgres://postgres@127.0.0.1:${portOf(primary)},127.0.0.1:${portOf(standby)}/postgres?target_session_attrs=read-write`
    const db = openPostgres({ url, replicaUrls: [primary.url, standby.url], pools: { read: 2, write: 2 } })
    onTestFinished(() => db.close())
    const port = async (query = db.query) =>
      (await queryRows<{ port: number }>({ query }, sql`SELECT inet_server_port() AS port`))[0]?.port
    const lags = () => Promise.all(db.replicas.map(({ lagBytes }) => lagBytes().catch(() => 'down')))
    const readPorts = async () => [await port(db.reader.query), await port(db.reader.query)]
    await vi.waitFor(async () => expect(await readPorts()).toEqual([portOf(standby), portOf(standby)]), WAIT)
    await migrate(db)
    await startGenerationAfterRestore(db)
    const warn = vi.fn(() => Promise.resolve())
    const notice = async () => {
      await startGenerationAfterFailover(db, warn)
      return warn.mock.calls.length
    }
    const noticed = [await notice()]
    const before = [await port(), await lags()]

    await primary.stop()
    await expect(port()).rejects.toSatisfy(isUnreachable)
    await standby.promote()

    expect(before).toEqual([portOf(primary), [0, expect.any(Number)]])
    await vi.waitFor(async () => expect(await port()).toBe(portOf(standby)), WAIT)
    expect(await readPorts()).toEqual([portOf(standby), portOf(standby)])
    expect(await lags()).toEqual(['down', 0])
    expect(db.replicas[1]?.isUp()).toBe(true)
    // The new timeline is in the control file from the first checkpoint on.
    await db.executeScript('CHECKPOINT')
    warn.mockRejectedValueOnce(new Error('the storage is away'))
    await expect(notice()).rejects.toThrow('the storage is away')
    noticed.push(await notice(), await notice())
    expect(noticed).toEqual([0, 2, 2])
  })
})
