import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { isDirectServer } from '../helpers/servers.ts'
import { sql, prepared } from '../../src/database/database.ts'
import { openPostgres, type PostgresDatabase } from '../../src/database/postgres.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { queryRows } from '../helpers/query-rows.ts'

describe.runIf(isDirectServer)('prepared statement', () => {
  let database: Awaited<ReturnType<typeof openTestDatabase>>
  let two: PostgresDatabase
  beforeAll(async () => {
    database = await openTestDatabase()
    const { connectionString: url = '' } = (database as Extract<typeof database, { engine: 'server' }>).pool.options
    two = openPostgres({ url, pools: { read: 2, write: 2 } })
  })
  afterAll(async () => {
    await two.close()
    await database.close()
  })

  it('returns rows after a newer release has changed the type of a column', async () => {
    await two.executeScript('CREATE TABLE numbers (number integer); INSERT INTO numbers VALUES (7)')
    const select = () => queryRows(two, prepared(sql`SELECT n.number FROM numbers n`))
    const selectConcurrently = () => Promise.all([select(), select(), select(), select()])
    const before = await selectConcurrently()

    await two.executeScript('ALTER TABLE numbers ALTER COLUMN number TYPE text')

    expect(before).toEqual(Array(4).fill([{ number: 7 }]))
    expect([await selectConcurrently(), await selectConcurrently()]).toEqual(Array(2).fill(Array(4).fill([{ number: '7' }])))
    await two.executeScript('DROP TABLE numbers')
  })
})
