import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { sql, type Database, type Sql } from '../../src/database/database.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { queryRows } from '../helpers/query-rows.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const queries: Record<string, (statement: Sql) => Promise<unknown[]>> = {
  'database.query': (statement) => queryRows(database, statement),
  'database.read': (statement) => queryRows(database.reader, statement),
  'tx.query': (statement) => database.transaction((tx) => queryRows(tx, statement)),
  'session.query': (statement) => database.bulk((session) => queryRows(session, statement)),
}

describe.each(Object.entries(queries))('%s', (_name, query) => {
  it.each<[string, Sql, unknown]>([
    ['a time as ISO 8601 in UTC', sql`SELECT '2026-11-20 10:30:00+01'::timestamptz AS value`, '2026-11-20T09:30:00.000Z'],
    ['truncated milliseconds', sql`SELECT '2026-11-20 09:30:00.1239+00'::timestamptz AS value`, '2026-11-20T09:30:00.123Z'],
    ['milliseconds with trailing zeros', sql`SELECT '2026-11-20 09:30:00.5+00'::timestamptz AS value`, '2026-11-20T09:30:00.500Z'],
    ['a bigint as a number', sql`SELECT 9007199254740991::bigint AS value`, Number.MAX_SAFE_INTEGER],
    ['a count as a number', sql`SELECT count(*) AS value FROM users`, 0],
    ['a numeric as a number', sql`SELECT 12.50::numeric AS value`, 12.5],
    ['a double', sql`SELECT 39.739236::double precision AS value`, 39.739236],
    ['an integer', sql`SELECT 7 AS value`, 7],
    ['a boolean', sql`SELECT true AS value`, true],
    ['a null', sql`SELECT NULL::timestamptz AS value`, null],
    ['a text that looks like a number', sql`SELECT '007' AS value`, '007'],
    ['json parsed', sql`SELECT '{"a": [1, null, "x"]}'::jsonb AS value`, { a: [1, null, 'x'] }],
    ['a list of texts', sql`SELECT ARRAY['a', 'b,c', '"'] AS value`, ['a', 'b,c', '"']],
    ['a list of integers', sql`SELECT ARRAY[3, 1, 2] AS value`, [3, 1, 2]],
    ['GeoJSON', sql`SELECT ST_AsGeoJSON(ST_Point(-105, 39.7, 4326))::jsonb AS value`, { type: 'Point', coordinates: [-105, 39.7] }],
  ])('returns %s', async (_, statement, expected) => {
    expect(await query(statement)).toEqual([{ value: expected }])
  })

  it.each<[string, Sql, unknown]>([
    ['a number', sql`SELECT ${41}::integer + 1 AS value`, 42],
    ['a text with quotes', sql`SELECT ${`it's "so"`} AS value`, `it's "so"`],
    ['a date', sql`SELECT ${new Date('2026-11-20T09:30:00.120Z')}::timestamptz AS value`, '2026-11-20T09:30:00.120Z'],
    ['null', sql`SELECT ${null}::text AS value`, null],
    ['a list', sql`SELECT ${2} = ANY(${[1, 2, 3]}::integer[]) AS value`, true],
    ['an object as json', sql`SELECT ${JSON.stringify({ a: 1 })}::jsonb AS value`, { a: 1 }],
  ])('accepts %s as a parameter', async (_, statement, expected) => {
    expect(await query(statement)).toEqual([{ value: expected }])
  })
})
