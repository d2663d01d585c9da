import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { openPostgres, type PostgresDatabase } from '../../src/database/postgres.ts'
import { prepared } from '../../src/database/prepared.ts'
import { engine, openTestDatabase } from '../helpers/database.ts'
import { queryRows } from '../helpers/query-rows.ts'

describe.runIf(engine === 'server')('a statement that connections keep', () => {
  let database: Awaited<ReturnType<typeof openTestDatabase>>
  let two: PostgresDatabase
  beforeAll(async () => {
    database = await openTestDatabase()
    const { connectionString: url = '' } = (database as Extract<typeof database, { engine: 'server' }>).pool.options
    two = openPostgres({ url, poolMax: 2 })
  })
  afterAll(async () => {
    await two.close()
    await database.close()
  })

  test('answers also after a newer release has changed the type of what it gives', async () => {
    await two.executeScript('CREATE TABLE kept_statements (number integer); INSERT INTO kept_statements VALUES (7)')
    const ask = () => queryRows(two, prepared(sql`SELECT k.number FROM kept_statements k`))
    const askAtOnce = () => Promise.all([ask(), ask(), ask(), ask()])
    const before = await askAtOnce()

    await two.executeScript('ALTER TABLE kept_statements ALTER COLUMN number TYPE text')

    expect(before).toEqual(Array(4).fill([{ number: 7 }]))
    expect([await askAtOnce(), await askAtOnce()]).toEqual(Array(2).fill(Array(4).fill([{ number: '7' }])))
    await two.executeScript('DROP TABLE kept_statements')
  })
})
