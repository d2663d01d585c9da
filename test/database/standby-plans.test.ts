import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { openPostgres, type PostgresDatabase } from '../../src/database/postgres.ts'
import { prepared } from '../../src/database/prepared.ts'
import { onOneReplica } from '../../src/database/replicas.ts'
import { isLong } from '../helpers/long.ts'
import { hasPostgres, startCluster, type TestCluster, type TestServer } from '../helpers/servers/postgres-cluster.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'
import { queryRows } from '../helpers/query-rows.ts'

describe.runIf(testDatabaseUrl !== undefined && hasPostgres && isLong)('connections to a real standby', () => {
  let cluster: TestCluster
  let standby: TestServer
  let db: PostgresDatabase
  const faults: string[] = []

  beforeAll(async () => {
    cluster = await startCluster()
    standby = await cluster.addStandby()
    const onConnectionLost = ({ message }: Error) => void faults.push(message)
    db = openPostgres({ url: cluster.primary.url, replicaUrls: [standby.url], poolMax: 3, onConnectionLost })
  }, 240_000)
  afterAll(async () => {
    await db.close()
    await cluster.close()
  }, 120_000)

  /** Waits until the standby has all that the primary has now. */
  const catchUp = () => vi.waitFor(async () => expect(await db.replicas[0]?.lagBytes()).toBe(0), { timeout: 30_000 })

  test('keep the plans of those who wrote, too, until a newer release changes what they give, and answer then as well', async () => {
    await db.executeScript('CREATE TABLE kept_statements (number integer); INSERT INTO kept_statements VALUES (7)')
    await catchUp()
    const number = prepared(sql`SELECT k.number FROM kept_statements k`)
    const port = sql`SELECT inet_server_port() AS port`
    const plans = sql`SELECT p.statement FROM pg_prepared_statements p`
    // On all three connections to the standby.
    const ask = () =>
      onOneReplica(
        () =>
          Promise.all([
            queryRows({ query: db.read }, number),
            queryRows({ query: db.read }, number),
            queryRows({ query: db.read }, port),
          ]),
        '0/1',
      )
    const before = await ask()

    const kept = await onOneReplica(
      () =>
        Promise.all([
          queryRows({ query: db.read }, plans),
          queryRows({ query: db.read }, plans),
          queryRows({ query: db.read }, plans),
        ]),
      '0/1',
    )
    await db.executeScript('ALTER TABLE kept_statements ALTER COLUMN number TYPE text')
    await catchUp()
    const after = [await ask(), await ask()]

    const ofStandby = [{ port: Number(new URL(standby.url).port) }]
    expect(before).toEqual([[{ number: 7 }], [{ number: 7 }], ofStandby])
    expect(kept.flat()).toEqual(Array(2).fill({ statement: 'SELECT k.number FROM kept_statements k' }))
    expect(after.map(([one, two]) => [one, two])).toEqual(Array(2).fill([[{ number: '7' }], [{ number: '7' }]]))
    expect(faults.length).toBeGreaterThan(0)
    expect(await ask()).toEqual([[{ number: '7' }], [{ number: '7' }], ofStandby])
  })
})
