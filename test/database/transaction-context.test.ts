import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { sql, type Database, type Transaction } from '../../src/database/database.ts'
import { prismaTransaction } from '../../src/database/with-prisma.ts'
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

describe('a transaction', () => {
  it.each<[string, (tx: Transaction) => Promise<unknown>]>([
    ['database.query', () => queryRows(database, sql`SELECT 1 AS one`)],
    ['database.read', () => queryRows(database.reader, sql`SELECT 1 AS one`)],
    ['database.prisma', () => database.prisma.user.count()],
    ['another transaction', () => database.transaction(() => Promise.resolve())],
    ['a bulk session', () => database.bulk(() => Promise.resolve())],
    ['a script', () => database.executeScript('SELECT 1')],
  ])('rejects %s', async (_, work) => {
    await expect(database.transaction(work)).rejects.toThrow(MESSAGE)
  })

  it('commits SQL and Prisma statements together', async () => {
    await database.transaction(async (tx) => {
      await tx.execute(sql`INSERT INTO users (name) VALUES ('Ada')`)
      await tx.prisma.user.create({ data: { name: 'Grace' } })
    })

    expect(await names()).toEqual([{ name: 'Ada' }, { name: 'Grace' }])
  })

  it('rolls back SQL and Prisma statements after an error', async () => {
    const failing = database.transaction(async (tx) => {
      await tx.execute(sql`INSERT INTO users (name) VALUES ('Ada')`)
      await tx.prisma.user.create({ data: { name: 'Grace' } })
      throw new Error('rolled back')
    })

    await expect(failing).rejects.toThrow('rolled back')
    expect(await names()).toEqual([])
  })
})

describe('a long transaction', () => {
  it('has no time limits, unlike the next transaction', async () => {
    const limits = (tx: Transaction) =>
      queryRows(tx, sql`SELECT s.setting FROM pg_settings s WHERE s.name IN ('lock_timeout', 'statement_timeout') ORDER BY s.name`)
    const none = [{ setting: '0' }, { setting: '0' }]

    expect(await database.longTransaction(limits)).toEqual(none)
    if (database.engine === 'server') expect(await database.transaction(limits)).not.toEqual(none)
  })
})

describe('a transaction that stays open for longer than its limit', () => {
  it('is rolled back', async () => {
    const slow = prismaTransaction(
      database.prisma,
      async (tx) => {
        await tx.execute(sql`INSERT INTO users (name) VALUES ('Ada')`)
        await pause(300)
        await tx.execute(sql`INSERT INTO users (name) VALUES ('Grace')`)
      },
      undefined,
      100,
    )

    await expect(slow).rejects.toThrow('expired transaction')
    expect(await names()).toEqual([])
  })
})

describe('a bulk session', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['database.query', () => queryRows(database, sql`SELECT 1 AS one`)],
    ['database.prisma', () => database.prisma.user.count()],
    ['a transaction', () => database.transaction(() => Promise.resolve())],
  ])('rejects %s', async (_, work) => {
    await expect(database.bulk(work)).rejects.toThrow(MESSAGE)
  })

  it('inserts rows in the text format of COPY, and rolls them back after an error', async () => {
    const load = (rows: string) => database.bulk((session) => session.copy('users', ['name', 'civic_points'], rows))

    await load('Ada\t3\nGrace \\t Hopper\t4\n')
    await expect(load('Edsger\t5\nDonald\tmany\n')).rejects.toThrow('invalid input syntax for type integer')

    expect(await names()).toEqual([{ name: 'Ada' }, { name: 'Grace \t Hopper' }])
  })
})

describe('a query outside of a transaction', () => {
  it('works while another request has a transaction', async () => {
    const transaction = database.transaction((tx) => queryRows(tx, sql`INSERT INTO users (name) VALUES ('Ada')`))
    const query = queryRows(database, sql`SELECT 1 AS one`)

    expect(await Promise.all([transaction, query])).toEqual([[], [{ one: 1 }]])
  })
})
