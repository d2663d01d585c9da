import Type from 'typebox'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { type Database, sql } from '../../src/database/database.ts'
import { openTestDatabase, resetDatabase } from '../helpers/database.ts'
import { queryRows } from '../helpers/query-rows.ts'

const Name = Type.Object({ name: Type.String() })
const Numbered = Type.Object({ number: Type.Integer() })
let database: Database

beforeAll(async () => {
  database = await openTestDatabase()
})
beforeEach(() => resetDatabase(database))
afterAll(() => database.close())

const insertUser = (name: string) => database.execute(sql`INSERT INTO users (name) VALUES (${name})`)
const numbers = (count: number) => sql`SELECT number FROM generate_series(1, ${count}::integer) number ORDER BY number`

describe('a snapshot', () => {
  it('returns every row of a long result in batches, in its order', async () => {
    const sizes: number[] = []
    const sum = await database.snapshot(async (snapshot) => {
      let total = 0
      for await (const rows of snapshot.batches(sql.type(Numbered)`${numbers(10_000)}`)) {
        sizes.push(rows.length)
        expect(rows[0]?.number).toBe(sizes.length * 250 - 249)
        total += rows.reduce((subtotal, { number }) => subtotal + number, 0)
      }
      return total
    })

    expect(sum).toBe((10_000 * 10_001) / 2)
    expect(sizes).toEqual(Array(40).fill(250))
  })

  it('may end before its last batch, and read again', async () => {
    const found = await database.snapshot(async (snapshot) => {
      for await (const [first] of snapshot.batches(sql.type(Numbered)`${numbers(10_000)}`)) {
        return [first, ...(await snapshot.query(sql.type(Numbered)`SELECT 7 AS number`))]
      }
      return []
    })

    expect(found).toEqual([{ number: 1 }, { number: 7 }])
  })

  it('refuses to write', async () => {
    const writing = database.snapshot(({ query }) => query(sql.type(Name)`INSERT INTO users (name) VALUES ('Ada') RETURNING name`))

    await expect(writing).rejects.toMatchObject({ code: '25006' })
    expect(await queryRows(database, sql`SELECT users.name FROM users`)).toEqual([])
  })

  it('ends with the error of its work, and leaves the database usable', async () => {
    await expect(database.snapshot(() => Promise.reject(new Error('the disk is full')))).rejects.toThrow('the disk is full')

    expect(await database.snapshot(({ query }) => query(sql.type(Numbered)`SELECT 1 AS number`))).toEqual([{ number: 1 }])
  })

  it('refuses other queries inside', async () => {
    await expect(database.snapshot(() => queryRows(database, sql`SELECT 1 AS one`))).rejects.toThrow('Inside a transaction')
  })

  it('ends when it is aborted', async () => {
    const aborted = AbortSignal.abort(new Error('the client has gone'))

    await expect(database.snapshot(({ query }) => query(sql.type(Numbered)`SELECT 1 AS number`), aborted)).rejects.toThrow(
      'the client has gone',
    )
  })
})

describe.runIf(process.env['TEST_DATABASE_URL'])('a snapshot of a server', () => {
  it('sees one state while others write', async () => {
    await insertUser('Ada')
    const firstRead = Promise.withResolvers<undefined>()
    const writing = firstRead.promise.then(() => insertUser('Grace'))
    const names = await database.snapshot(async ({ query }) => {
      const before = await query(sql.type(Name)`SELECT users.name FROM users`)
      firstRead.resolve(undefined)
      await writing
      return [before, await query(sql.type(Name)`SELECT users.name FROM users`)]
    })

    expect(names).toEqual([[{ name: 'Ada' }], [{ name: 'Ada' }]])
    expect(await queryRows(database, sql`SELECT users.name FROM users ORDER BY users.id`)).toEqual([
      { name: 'Ada' },
      { name: 'Grace' },
    ])
  })

  it('stops the statement that runs when it is aborted', async () => {
    const abort = new AbortController()
    // It sleeps for longer than a test may take.
    const sleeping = database.snapshot(
      ({ query }) => query(sql.type(Numbered)`SELECT 1 AS number FROM pg_sleep(600)`),
      abort.signal,
    )
    setTimeout(() => abort.abort(new Error('the client has gone')), 100)

    await expect(sleeping).rejects.toThrow('the client has gone')
  })
})
