import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { sql, prepared } from '../../src/database/database.ts'
import { openPostgres, type PostgresDatabase } from '../../src/database/postgres.ts'
import { readFromOneServer } from '../../src/database/replicas.ts'
import { isLong } from '../helpers/long.ts'
import { hasPostgres, startCluster, type TestCluster, type TestServer } from '../helpers/servers/postgres-cluster.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'
import { queryRows } from '../helpers/query-rows.ts'

describe.runIf(testDatabaseUrl !== undefined && hasPostgres && isLong)('prepared statements on a standby', () => {
  let cluster: TestCluster
  let standby: TestServer
  let db: PostgresDatabase
  const errors: string[] = []

  beforeAll(async () => {
    cluster = await startCluster()
    standby = await cluster.addStandby()
    const onConnectionLost = ({ message }: Error) => void errors.push(message)
    db = openPostgres({ url: cluster.primary.url, replicaUrls: [standby.url], pools: { read: 3, write: 3 }, onConnectionLost })
  })
  afterAll(async () => {
    await db.close()
    await cluster.close()
  })

  const catchUp = () => vi.waitFor(async () => expect(await db.replicas[0]?.lagBytes()).toBe(0), { timeout: 30_000 })

  it('are reused by users with a write position, and return rows after a newer release has changed the type of a column', async () => {
    await db.executeScript('CREATE TABLE numbers (number integer); INSERT INTO numbers VALUES (7)')
    await catchUp()
    const number = prepared(sql`SELECT n.number FROM numbers n`)
    const port = sql`SELECT inet_server_port() AS port`
    const plans = sql`SELECT p.statement FROM pg_prepared_statements p`
    /** Queries on all three connections to the standby. */
    const readAll = () =>
      readFromOneServer(
        () => Promise.all([queryRows(db.reader, number), queryRows(db.reader, number), queryRows(db.reader, port)]),
        '0/1',
      )
    const before = await readAll()

    const preparedStatements = await readFromOneServer(
      () => Promise.all([queryRows(db.reader, plans), queryRows(db.reader, plans), queryRows(db.reader, plans)]),
      '0/1',
    )
    await db.executeScript('ALTER TABLE numbers ALTER COLUMN number TYPE text')
    await catchUp()
    const after = [await readAll(), await readAll()]

    const standbyPort = [{ port: Number(new URL(standby.url).port) }]
    expect(before).toEqual([[{ number: 7 }], [{ number: 7 }], standbyPort])
    expect(preparedStatements.flat()).toEqual(Array(2).fill({ statement: 'SELECT n.number FROM numbers n' }))
    expect(after.map(([one, two]) => [one, two])).toEqual(Array(2).fill([[{ number: '7' }], [{ number: '7' }]]))
    expect(errors.length).toBeGreaterThan(0)
    expect(await readAll()).toEqual([[{ number: '7' }], [{ number: '7' }], standbyPort])
  })
})
