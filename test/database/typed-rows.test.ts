import Type, { type TSchema } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { nullable, Timestamp, type Database, type Sql, sql } from '../../src/database/database.ts'
import { openTestDatabase } from '../helpers/database.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const queries: Record<string, (row: TSchema, statement: Sql) => Promise<unknown[]>> = {
  'database.query': (row, statement) => database.query(sql.type(row)`${statement}`),
  'database.read': (row, statement) => database.reader.query(sql.type(row)`${statement}`),
  'tx.query': (row, statement) => database.transaction((tx) => tx.query(sql.type(row)`${statement}`)),
  'session.query': (row, statement) => database.bulk((session) => session.query(sql.type(row)`${statement}`)),
}

const Row = Type.Object({ id: Type.Integer(), at: nullable(Timestamp), inner: nullable(Type.Object({ name: Type.String() })) })

describe.each(Object.entries(queries))('%s in tests', (_, query) => {
  it('returns rows that match their schema', async () => {
    const rows = await query(
      Row,
      sql`
      SELECT 1 AS id, now() AS at, '{"name": "x"}'::json AS inner UNION ALL SELECT 2 AS id, NULL, NULL ORDER BY id`,
    )

    expect(rows).toMatchObject([
      { id: 1, inner: { name: 'x' } },
      { id: 2, at: null, inner: null },
    ])
  })

  it.each([
    ['a renamed column', sql`SELECT 1 AS number, NULL::timestamptz AS at, NULL::json AS inner`, 'required properties id'],
    ['an extra column', sql`SELECT 1 AS id, NULL AS at, NULL::json AS inner, 2 AS more`, 'must not have additional properties'],
    ['a value of another type', sql`SELECT '1' AS id, NULL AS at, NULL::json AS inner`, '/id must be integer'],
    ['a date instead of a timestamp', sql`SELECT 1 AS id, '2026-11-20' AS at, NULL::json AS inner`, '/at must match pattern'],
    ['an extra field in JSON', sql`SELECT 1 AS id, NULL AS at, '{"name": "x", "x": 1}'::json AS inner`, '/inner'],
  ])('throws an error for %s', async (_name, statement, message) => {
    await expect(query(Row, statement)).rejects.toThrow(message)
  })
})

describe('a statement without rows', () => {
  it.each([
    [
      'a renamed column',
      sql`SELECT 1 AS number, NULL::timestamptz AS at, NULL::json AS inner WHERE FALSE`,
      'there is no column id',
    ],
    [
      'an extra column',
      sql`SELECT 1 AS id, NULL AS at, NULL::json AS inner, 2 AS more WHERE FALSE`,
      'the schema has no column more',
    ],
    ['a column of another type', sql`SELECT '1' AS id, NULL AS at, NULL::json AS inner WHERE FALSE`, 'column id is text'],
  ])('throws an error for %s', async (_, statement, message) => {
    for (const query of Object.values(queries)) await expect(query(Row, statement)).rejects.toThrow(message)
  })

  it('throws an error for a value of another type, also of `execute`', async () => {
    const statement = sql`DELETE FROM suppressed_addresses WHERE address_hash = ${5}`

    await expect(database.execute(statement)).rejects.toThrow('parameter 1 is text, not number')
  })
})

describe('execute', () => {
  it.each([
    ['INSERT', sql`INSERT INTO suppressed_addresses (address_hash) VALUES ('a'), ('b')`, 2],
    ['UPDATE', sql`UPDATE suppressed_addresses SET created_at = now()`, 2],
    ['DELETE', sql`DELETE FROM suppressed_addresses WHERE address_hash = 'a'`, 1],
    ['DELETE without a match', sql`DELETE FROM suppressed_addresses WHERE address_hash = 'c'`, 0],
  ])('returns the number of changed rows: %s', async (_, statement, count) => {
    const insert = sql`INSERT INTO suppressed_addresses (address_hash) VALUES ('a'), ('b')`
    const undo = new Error('undo')
    const counts: number[] = []
    const change = async (session: { execute: Database['execute'] }) => {
      if (statement.text !== insert.text) await session.execute(insert)
      counts.push(await session.execute(statement))
      throw undo
    }
    await expect(database.transaction(change)).rejects.toThrow(undo)
    await expect(database.bulk(change)).rejects.toThrow(undo)
    if (statement.text !== insert.text) await database.execute(insert)
    counts.push(await database.execute(statement))
    await database.execute(sql`DELETE FROM suppressed_addresses`)

    expect(counts).toEqual([count, count, count])
  })
})
