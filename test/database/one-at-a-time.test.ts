import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { sql, type Database, type Transaction } from '../../src/database/database.ts'
import { openTestDatabase, resetDatabase } from '../helpers/database.ts'
import { queryRows } from '../helpers/query-rows.ts'

const MESSAGE = 'Inside a transaction only its own handle may be used'
let database: Database

beforeAll(async () => {
  database = await openTestDatabase()
})
beforeEach(() => resetDatabase(database))
afterAll(() => database.close())

const names = () => queryRows(database, sql`SELECT u.name FROM users u ORDER BY u.id`)

describe('inside a transaction', () => {
  test.each<[string, (tx: Transaction) => Promise<unknown>]>([
    ['database.query', () => queryRows(database, sql`SELECT 1 AS one`)],
    ['database.read', () => queryRows({ query: database.read }, sql`SELECT 1 AS one`)],
    ['database.prisma', () => database.prisma.user.count()],
    ['another transaction', () => database.transaction(() => Promise.resolve())],
    ['a bulk session', () => database.bulk(() => Promise.resolve())],
    ['a script', () => database.executeScript('SELECT 1')],
  ])('%s is refused at once', async (_, work) => {
    await expect(database.transaction(work)).rejects.toThrow(MESSAGE)
  })

  test('its own handle works, by SQL and by Prisma, and commits both', async () => {
    await database.transaction(async (tx) => {
      await tx.execute(sql`INSERT INTO users (name) VALUES ('Ada')`)
      await tx.prisma.user.create({ data: { name: 'Grace' } })
    })

    expect(await names()).toEqual([{ name: 'Ada' }, { name: 'Grace' }])
  })

  test('an error takes everything back', async () => {
    const failing = database.transaction(async (tx) => {
      await tx.execute(sql`INSERT INTO users (name) VALUES ('Ada')`)
      await tx.prisma.user.create({ data: { name: 'Grace' } })
      throw new Error('changed my mind')
    })

    await expect(failing).rejects.toThrow('changed my mind')
    expect(await names()).toEqual([])
  })
})

describe('inside a bulk session', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['database.query', () => queryRows(database, sql`SELECT 1 AS one`)],
    ['database.prisma', () => database.prisma.user.count()],
    ['a transaction', () => database.transaction(() => Promise.resolve())],
  ])('%s is refused at once', async (_, work) => {
    await expect(database.bulk(work)).rejects.toThrow(MESSAGE)
  })

  test('rows in the format of COPY arrive, and an error takes them back', async () => {
    const load = (rows: string) => database.bulk((session) => session.copy('users', ['name', 'civic_points'], rows))

    await load('Ada\t3\nGrace \\t Hopper\t4\n')
    await expect(load('Edsger\t5\nDonald\tmany\n')).rejects.toThrow('invalid input syntax for type integer')

    expect(await names()).toEqual([{ name: 'Ada' }, { name: 'Grace \t Hopper' }])
  })
})

test('two requests at once do not take each other for the same transaction', async () => {
  const transaction = database.transaction((tx) => queryRows(tx, sql`INSERT INTO users (name) VALUES ('Ada')`))
  const query = queryRows(database, sql`SELECT 1 AS one`)

  expect(await Promise.all([transaction, query])).toEqual([[], [{ one: 1 }]])
})
