import Type, { type TSchema } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { nullable, Timestamp } from '../../src/database/columns.ts'
import { type Database, type Sql, sql } from '../../src/database/database.ts'
import { openTestDatabase } from '../helpers/database.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const ways: Record<string, (row: TSchema, statement: Sql) => Promise<unknown[]>> = {
  'database.query': (row, statement) => database.query(row, statement),
  'database.read': (row, statement) => database.read(row, statement),
  'tx.query': (row, statement) => database.transaction((tx) => tx.query(row, statement)),
  'session.query': (row, statement) => database.bulk((session) => session.query(row, statement)),
}

const Row = Type.Object({ id: Type.Integer(), at: nullable(Timestamp), inner: nullable(Type.Object({ name: Type.String() })) })

describe.each(Object.entries(ways))('rows of %s in tests', (_, query) => {
  test('pass where they are as their schema says', async () => {
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

  test.each([
    ['a renamed column', sql`SELECT 1 AS number, NULL::timestamptz AS at, NULL::json AS inner`, 'required properties id'],
    ['a column too many', sql`SELECT 1 AS id, NULL AS at, NULL::json AS inner, 2 AS more`, 'must not have additional properties'],
    ['a value of another type', sql`SELECT '1' AS id, NULL AS at, NULL::json AS inner`, '/id must be integer'],
    ['a date that is no time', sql`SELECT 1 AS id, '2026-11-20' AS at, NULL::json AS inner`, '/at must match pattern'],
    ['a field too many within JSON', sql`SELECT 1 AS id, NULL AS at, '{"name": "x", "x": 1}'::json AS inner`, '/inner'],
  ])('fail by %s', async (_name, statement, fault) => {
    await expect(query(Row, statement)).rejects.toThrow(fault)
  })
})

test.each([
  ['INSERT', sql`INSERT INTO unwanted_addresses (address_hash) VALUES ('a'), ('b')`, 2],
  ['UPDATE', sql`UPDATE unwanted_addresses SET created_at = now()`, 2],
  ['DELETE', sql`DELETE FROM unwanted_addresses WHERE address_hash = 'a'`, 1],
  ['DELETE of nothing', sql`DELETE FROM unwanted_addresses WHERE address_hash = 'c'`, 0],
])('execute returns how many rows an %s changed', async (_, statement, count) => {
  const insert = sql`INSERT INTO unwanted_addresses (address_hash) VALUES ('a'), ('b')`
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
  await database.execute(sql`DELETE FROM unwanted_addresses`)

  expect(counts).toEqual([count, count, count])
})
