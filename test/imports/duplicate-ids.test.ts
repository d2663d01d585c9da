import { readFileSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { sql, type Database } from '../../src/database/database.ts'
import { importIssues } from '../../src/imports/import-issues.ts'
import type { IssueRow } from '../../src/imports/issue-rows.ts'
import { openRepeatedIds } from '../../src/imports/repeated-ids.ts'
import { openTestDatabase, resetDatabase } from '../helpers/database.ts'
import { csv, writeTemporaryFile } from './files.ts'
import { emptyReport } from './reports.ts'
import { queryRows } from '../helpers/query-rows.ts'

const NOW = new Date('2026-11-20T09:30:00.000Z')
const HEADER = 'id,summary,lat,lng'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())
beforeEach(() => resetDatabase(database))

const run = (path: string, options: { source?: string } = {}) => importIssues(database, { path, now: NOW, ...options })

const issues = () =>
  queryRows<{ id: number; import_key: string | null; summary: string }>(
    database,
    sql`SELECT i.id, i.import_key, i.summary FROM issues i ORDER BY i.id`,
  )

describe('import of an id that exists already', () => {
  it('assigns the next id that is free in the database and the file', async () => {
    await database.execute(sql`INSERT INTO issues (summary, lng, lat) VALUES ('here first', 0, 0)`)
    const path = writeTemporaryFile('a.csv', csv(HEADER, '1,one,0,0', '2,two,0,0', '3,three,0,0', '1,one,0,0'))
    const renumberedFile = `${path}.renumbered.csv`
    const report = await importIssues(database, { path, now: NOW, batch: { rows: 2, characters: 1_000 } })

    expect(report).toEqual({
      ...emptyReport,
      rows: 4,
      imported: 3,
      unchanged: 1,
      newIds: { count: 1, first: [{ line: 2, id: 1, newId: 4 }] },
      renumberedFile,
    })
    expect(await issues()).toEqual([
      { id: 1, import_key: null, summary: 'here first' },
      { id: 2, import_key: 'a:2', summary: 'two' },
      { id: 3, import_key: 'a:3', summary: 'three' },
      { id: 4, import_key: 'a:1', summary: 'one' },
    ])
    expect(await run(path)).toEqual({ ...emptyReport, rows: 4, unchanged: 4, renumberedFile })
  })

  it('reports the first new ids and writes all of them to a file, also in a later run', async () => {
    const path = writeTemporaryFile('a.csv', csv(HEADER, ...Array.from({ length: 7 }, (_, n) => `${n + 1},a,0,0`)))
    const renumberedFile = `${path}.renumbered.csv`
    await run(path)

    const report = await run(path, { source: 'b' })
    const content = readFileSync(renumberedFile, 'utf8')
    rmSync(renumberedFile)
    await run(path, { source: 'b' })

    expect(report).toEqual({
      ...emptyReport,
      rows: 7,
      imported: 7,
      newIds: { count: 7, first: [1, 2, 3, 4, 5].map((id) => ({ line: id + 1, id, newId: id + 7 })) },
      renumberedFile,
    })
    expect(content).toBe(csv('id,new_id', ...[1, 2, 3, 4, 5, 6, 7].map((id) => `${id},${id + 7}`)))
    expect(readFileSync(renumberedFile, 'utf8')).toBe(content)
  })
})

describe('import of a repeated id', () => {
  it('imports the first row, skips equal rows and rejects different ones with the line of the first, in each run', async () => {
    const path = writeTemporaryFile(
      'a.csv',
      csv(HEADER, '7,one,0,0', '8,two,0,0', '7,other,0,0', '7,one,0,0.0', '8,,0,0', '8,three,0,0'),
    )
    const options = { path, now: NOW, batch: { rows: 2, characters: 1_000 } }
    const report = { ...emptyReport, rows: 6, rejected: 3, rejectedFile: `${path}.rejected.csv` }

    expect(await importIssues(database, options)).toEqual({ ...report, imported: 2, unchanged: 1 })
    expect(await importIssues(database, { ...options, now: new Date() })).toEqual({ ...report, unchanged: 3 })

    expect((await issues()).map(({ summary }) => summary)).toEqual(['one', 'two'])
    const reason = (id: number, line: number) =>
      `id ${id} is already used in line ${line} with other values: give this row a different id`
    expect(readFileSync(`${path}.rejected.csv`, 'utf8')).toBe(
      csv(
        `${HEADER},line,reason,row`,
        '8,,0,0,6,summary is missing,',
        `7,other,0,0,4,${reason(7, 2)},`,
        `8,three,0,0,7,${reason(8, 3)},`,
      ),
    )
  })

  it('imports the first valid row', async () => {
    const columns = `${HEADER},request_type_id`
    const path = writeTemporaryFile('a.csv', csv(columns, '7,one,0,0,99', '7,two,0,0,', '7,two,0,0,'))

    const report = await run(path)

    expect(report).toEqual({
      ...emptyReport,
      rows: 3,
      imported: 1,
      unchanged: 1,
      rejected: 1,
      rejectedFile: `${path}.rejected.csv`,
    })
    expect((await issues()).map(({ summary }) => summary)).toEqual(['two'])
  })

  it('finds the rows that repeat an id with other values', () => {
    const row = (line: number, id: number, summary: string) => ({ line, id, summary }) as IssueRow
    const ids = openRepeatedIds()
    ids.add([row(2, 1, 'a'), row(3, 2, 'b'), row(4, 3, 'c'), row(5, 4, 'd')])
    expect(ids.isEmpty()).toBe(true)
    ids.add([row(6, 1, 'a'), row(7, 2, 'x'), row(8, 4, 'x'), row(9, 4, 'y'), row(10, 4, 'd')])

    const found = Array.from({ length: 11 }, (_, line) => [line, ids.find(line)]).filter(([, repeated]) => repeated !== undefined)
    ids.close()

    expect(found).toEqual([
      [7, { id: 2, first: 3 }],
      [8, { id: 4, first: 5 }],
      [9, { id: 4, first: 5 }],
    ])
  })
})
