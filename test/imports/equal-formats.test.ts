import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { sql, type Database } from '../../src/database/database.ts'
import { importIssues, type IssuesReport } from '../../src/imports/import-issues.ts'
import { statuses } from '../../src/issue-lifecycle/status.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { featureCollection, writeTemporaryFile } from './files.ts'
import { runs } from '../helpers/long.ts'
import { queryRows } from '../helpers/query-rows.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

/** A blank text counts as missing in every format, and CSV drops a carriage return before a line break. */
const text = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    fc.string({ unit: fc.constantFrom('"', ',', '\n', '\t', '\\', '.', 'N', ' ', 'é', '🚧'), minLength: 1, maxLength: 12 }),
  )
  .filter((value) => value.trim() !== '' && !/[\0\r]/.test(value))
const stamp = fc
  .date({ min: new Date('1990-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())
const degrees = (max: number) => fc.double({ min: -max, max, noNaN: true }).map((value) => value + 0)
const missingOr = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })

const rows = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 1, max: 1_000_000 }),
    status: fc.constantFrom(...statuses),
    rating: missingOr(fc.nat(1_000)),
    summary: text,
    description: missingOr(text),
    lat: degrees(90),
    lng: degrees(180),
    address: missingOr(text),
    reporter_id: fc.nat(20),
    created_at: missingOr(stamp),
    updated_at: missingOr(stamp),
    acknowledged_at: missingOr(stamp),
    closed_at: missingOr(stamp),
  }),
  { selector: (row) => row.id, minLength: 1, maxLength: 20 },
)

describe('importIssues', () => {
  it('imports the same rows from CSV, GeoJSON and newline-delimited GeoJSON', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (input) => {
        const features = input.map(({ id, lat, lng, ...properties }) => ({
          type: 'Feature',
          id,
          properties,
          geometry: { type: 'Point', coordinates: [lng, lat] },
        }))
        const files = [
          writeTemporaryFile('a.csv', stringify(input, { header: true })),
          writeTemporaryFile('b.csv', `\uFEFF${stringify(input, { header: true, quoted: true, record_delimiter: 'windows' })}`),
          writeTemporaryFile('c.geojson', featureCollection(...features)),
          writeTemporaryFile('d.ndjson', features.map((feature) => JSON.stringify(feature)).join('\n')),
        ]
        const results: { report: IssuesReport; rows: Record<string, unknown>[] }[] = []
        for (const path of files) {
          await database.execute(sql`DELETE FROM issues`)
          await database.execute(sql`DELETE FROM users`)
          const report = await importIssues(database, { path, now: new Date('2026-11-20T09:30:00Z'), source: 's' })
          results.push({ report, rows: await importedRows() })
        }

        expect(results[0]?.report).toMatchObject({ rows: input.length, imported: input.length })
        expect(results).toEqual(files.map(() => results[0]))
        expect(results[0]?.rows.map(({ id, summary, lat, lng }) => ({ id, summary, lat, lng }))).toEqual(
          input.map(({ id, summary, lat, lng }) => ({ id, summary, lat, lng })).sort((one, other) => one.id - other.id),
        )
      }),
      runs(8),
    )
  })
})

const importedRows = () =>
  queryRows<Record<string, unknown>>(
    database,
    sql`
    SELECT i.id, i.import_key, i.status, i.rating, i.summary, i.description, i.lng, i.lat, i.address, i.reporter_id,
      i.created_at, i.updated_at, i.acknowledged_at, i.closed_at
    FROM issues i ORDER BY i.id`,
  )
