import { readFileSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { sql, type Database } from '../../src/database/database.ts'
import { importIssues } from '../../src/imports/import-issues.ts'
import type { IssueRow } from '../../src/imports/issue-rows.ts'
import { openRepeatedIds } from '../../src/imports/repeated-ids.ts'
import { openTestDatabase, reset } from '../helpers/database.ts'
import { csv, featureCollection, givenFile } from './files.ts'

const NOW = new Date('2026-11-20T09:30:00.000Z')
const HEADER = 'id,summary,lat,lng'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())
beforeEach(() => reset(database))

const run = (path: string, options: { source?: string } = {}) => importIssues(database, { path, now: NOW, ...options })

const nothing = {
  rows: 0,
  imported: 0,
  unchanged: 0,
  rejected: 0,
  rejectedFile: null,
  rejectedFeatures: null,
  ignoredColumns: [],
  newIds: { count: 0, first: [] },
  renumberedFile: null,
  stopped: false,
}

const issues = () =>
  database.query<Record<string, unknown>>(sql`
    SELECT i.id, i.import_key, i.status, i.rating, i.summary, i.description, i.lng, i.lat, i.address, i.reporter_id, i.anonymous,
      i.assignee_id, i.request_type_id, i.category, i.video_url, i.created_at, i.updated_at, i.acknowledged_at, i.closed_at,
      i.reopened_at, i.imported_at
    FROM issues i ORDER BY i.id`)

const column = async (name: string) => (await issues()).map((issue) => issue[name])

describe('importing issues', () => {
  test('keeps every column of a full row', async () => {
    await database.query(sql`INSERT INTO request_types (id, title, category) VALUES (9, 'Potholes', 'pothole')`)
    const columns =
      'id,status,rating,summary,description,lat,lng,address,reporter_id,assignee_id,request_type_id,video_url,created_at,updated_at,acknowledged_at,closed_at,reopened_at'
    const path = givenFile(
      'full.csv',
      csv(
        columns,
        '7,Closed,5,"Hole, ""deep""","a\nb\\c\td",33.75,-84.39,1 Main St,3,4,9,https://youtu.be/x,2018-07-08T21:34:26Z,2018-07-12T00:00:00+02:00,2018-07-09,2018-07-10T10:00,2018-07-11T10:00:00.123456Z',
      ),
    )

    expect(await run(path)).toEqual({ ...nothing, rows: 1, imported: 1 })

    expect(await issues()).toEqual([
      {
        id: 7,
        import_key: 'full:7',
        status: 'Closed',
        rating: 5,
        summary: 'Hole, "deep"',
        description: 'a\nb\\c\td',
        lng: -84.39,
        lat: 33.75,
        address: '1 Main St',
        reporter_id: 3,
        anonymous: false,
        assignee_id: 4,
        request_type_id: 9,
        category: 'pothole',
        video_url: 'https://youtu.be/x',
        created_at: '2018-07-08T21:34:26.000Z',
        updated_at: '2018-07-11T22:00:00.000Z',
        acknowledged_at: '2018-07-09T00:00:00.000Z',
        closed_at: '2018-07-10T10:00:00.000Z',
        reopened_at: '2018-07-11T10:00:00.123Z',
        imported_at: NOW.toISOString(),
      },
    ])
  })

  test('fills what the least row leaves open', async () => {
    await run(givenFile('least.csv', csv(HEADER, '7,Hole,33.75,-84.39')))

    expect(await issues()).toEqual([
      {
        id: 7,
        import_key: 'least:7',
        status: 'Open',
        rating: 1,
        summary: 'Hole',
        description: null,
        lng: -84.39,
        lat: 33.75,
        address: null,
        reporter_id: null,
        anonymous: true,
        assignee_id: null,
        request_type_id: null,
        category: 'other',
        video_url: null,
        created_at: NOW.toISOString(),
        updated_at: NOW.toISOString(),
        acknowledged_at: null,
        closed_at: null,
        reopened_at: null,
        imported_at: NOW.toISOString(),
      },
    ])
  })

  test('counts the length of a text in characters, whatever they take in memory', async () => {
    const [summary, description] = ['🚧'.repeat(1_000), '🚧'.repeat(20_000)]
    const path = givenFile(
      'long.csv',
      csv(`${HEADER},description`, `1,${summary},0,0,${description}`, `2,${summary}x,0,0,`, `3,a,0,0,${description}x`),
    )

    expect(await run(path)).toMatchObject({ rows: 3, imported: 1, rejected: 2 })
    expect(await issues()).toMatchObject([{ id: 1, summary, description }])
  })

  test('changes nothing when it runs again, whatever the format', async () => {
    const path = givenFile('a.csv', csv(HEADER, '7,Hole,33.75,-84.39', '8,Bump,33.75,-84.39'))
    await run(path)
    const before = await issues()
    const changed = { type: 'Feature', id: 7, properties: { summary: 'Changed' }, geometry: { type: 'Point', coordinates: [1, 2] } }

    expect(await run(path)).toEqual({ ...nothing, rows: 2, unchanged: 2 })
    expect(await run(givenFile('a.geojson', featureCollection(changed)))).toEqual({ ...nothing, rows: 1, unchanged: 1 })

    expect(await issues()).toEqual(before)
  })

  test('keeps the rating, acknowledged or not, and counts a missing one like that of a new issue', async () => {
    const path = givenFile(
      'a.csv',
      csv(
        `${HEADER},rating,acknowledged_at`,
        '1,a,0,0,5,',
        '2,b,0,0,5,2018-07-09',
        '3,c,0,0,,',
        '4,d,0,0,,2018-07-09',
        '5,e,0,0,0,2018-07-09',
      ),
    )

    await run(path)

    expect(await column('rating')).toEqual([5, 5, 1, 2, 0])
  })

  test('takes the latest stamp of the row where updated_at is missing, in whatever order the stamps are', async () => {
    const path = givenFile(
      'a.csv',
      csv(
        `${HEADER},created_at,updated_at,acknowledged_at,closed_at,reopened_at`,
        '1,a,0,0,2018-07-08T00:00:00Z,,2018-07-11T00:00:00Z,2018-07-10T00:00:00Z,',
        '2,b,0,0,2018-07-08T00:00:00Z,2001-01-01T00:00:00Z,,2018-07-10T00:00:00Z,2018-07-01T00:00:00Z',
        '3,c,0,0,,,,2018-07-10T00:00:00Z,',
      ),
    )

    expect(await run(path)).toEqual({ ...nothing, rows: 3, imported: 3 })

    expect(await column('created_at')).toEqual(['2018-07-08T00:00:00.000Z', '2018-07-08T00:00:00.000Z', NOW.toISOString()])
    expect(await column('updated_at')).toEqual(['2018-07-11T00:00:00.000Z', '2001-01-01T00:00:00.000Z', NOW.toISOString()])
  })

  test('makes placeholders of unknown people, who cannot log in, and leaves known ones as they are', async () => {
    await database.query(sql`INSERT INTO users (id, name, password_hash) VALUES (3, 'Ada', 'hash')`)
    const path = givenFile(
      'a.csv',
      csv(`${HEADER},reporter_id,assignee_id`, '1,a,0,0,3,', '2,b,0,0,1502269,3', '3,c,0,0,0,12', '4,d,0,0,,1502269'),
    )

    await run(path)

    expect(await database.query(sql`SELECT u.id, u.name, u.password_hash FROM users u ORDER BY u.id`)).toEqual([
      { id: 3, name: 'Ada', password_hash: 'hash' },
      { id: 12, name: 'User 12', password_hash: null },
      { id: 1502269, name: 'User 1502269', password_hash: null },
    ])
    expect(await column('reporter_id')).toEqual([3, 1502269, null, null])
    expect(await column('anonymous')).toEqual([false, false, true, true])
  })

  test('moves the sequences past the ids of the file', async () => {
    await run(givenFile('a.csv', csv(`${HEADER},reporter_id`, '900,a,0,0,70', '5,b,0,0,3')))

    expect(await database.query(sql`INSERT INTO issues (summary, lng, lat) VALUES ('new', 0, 0) RETURNING id`)).toEqual([
      { id: 901 },
    ])
    expect(await database.query(sql`INSERT INTO users (name) VALUES ('new') RETURNING id`)).toEqual([{ id: 71 }])
  })

  test('writes no events', async () => {
    await run(givenFile('a.csv', csv(HEADER, '1,a,0,0')))

    expect(await database.query(sql`SELECT e.id FROM events e`)).toEqual([])
  })
})

describe('an id that is taken', () => {
  test('gives way to the next one that neither the database nor the file has', async () => {
    await database.query(sql`INSERT INTO issues (summary, lng, lat) VALUES ('here first', 0, 0)`)
    const path = givenFile('a.csv', csv(HEADER, '1,one,0,0', '2,two,0,0', '3,three,0,0', '1,one,0,0'))
    const renumberedFile = `${path}.renumbered.csv`
    const report = await importIssues(database, { path, now: NOW, batch: { rows: 2, characters: 1_000 } })

    expect(report).toEqual({
      ...nothing,
      rows: 4,
      imported: 3,
      unchanged: 1,
      newIds: { count: 1, first: [{ line: 2, id: 1, newId: 4 }] },
      renumberedFile,
    })
    expect((await issues()).map(({ id, import_key, summary }) => ({ id, import_key, summary }))).toEqual([
      { id: 1, import_key: null, summary: 'here first' },
      { id: 2, import_key: 'a:2', summary: 'two' },
      { id: 3, import_key: 'a:3', summary: 'three' },
      { id: 4, import_key: 'a:1', summary: 'one' },
    ])
    expect(await run(path)).toEqual({ ...nothing, rows: 4, unchanged: 4, renumberedFile })
  })

  test('is told for the first few, and for all in a file beside, also when the run that gave them was killed', async () => {
    const path = givenFile('a.csv', csv(HEADER, ...Array.from({ length: 7 }, (_, n) => `${n + 1},a,0,0`)))
    const renumberedFile = `${path}.renumbered.csv`
    await run(path)

    const report = await run(path, { source: 'b' })
    const told = readFileSync(renumberedFile, 'utf8')
    rmSync(renumberedFile)
    await run(path, { source: 'b' })

    expect(report).toEqual({
      ...nothing,
      rows: 7,
      imported: 7,
      newIds: { count: 7, first: [1, 2, 3, 4, 5].map((id) => ({ line: id + 1, id, newId: id + 7 })) },
      renumberedFile,
    })
    expect(told).toBe(csv('id,new_id', ...[1, 2, 3, 4, 5, 6, 7].map((id) => `${id},${id + 7}`)))
    expect(readFileSync(renumberedFile, 'utf8')).toBe(told)
  })
})

describe('an id that stands twice in a file', () => {
  test('keeps the first row, passes over an equal one, and rejects another with the line of the first, again in a second run', async () => {
    const path = givenFile('a.csv', csv(HEADER, '7,one,0,0', '8,two,0,0', '7,other,0,0', '7,one,0,0.0', '8,,0,0', '8,three,0,0'))
    const options = { path, now: NOW, batch: { rows: 2, characters: 1_000 } }
    const report = { ...nothing, rows: 6, rejected: 3, rejectedFile: `${path}.rejected.csv` }

    expect(await importIssues(database, options)).toEqual({ ...report, imported: 2, unchanged: 1 })
    expect(await importIssues(database, { ...options, now: new Date() })).toEqual({ ...report, unchanged: 3 })

    expect(await column('summary')).toEqual(['one', 'two'])
    const fault = (id: number, line: number) =>
      `"id ${id} stands in line ${line} already, with other values: give this row an id of its own"`
    expect(readFileSync(`${path}.rejected.csv`, 'utf8')).toBe(
      csv(
        `${HEADER},line,reason,row`,
        '8,,0,0,6,summary is missing,',
        `7,other,0,0,4,${fault(7, 2)},`,
        `8,three,0,0,7,${fault(8, 3)},`,
      ),
    )
  })

  test('belongs to the first row that can be taken', async () => {
    const columns = `${HEADER},request_type_id`
    const path = givenFile('a.csv', csv(columns, '7,one,0,0,99', '7,two,0,0,', '7,two,0,0,'))

    const report = await run(path)

    expect(report).toEqual({ ...nothing, rows: 3, imported: 1, unchanged: 1, rejected: 1, rejectedFile: `${path}.rejected.csv` })
    expect(await column('summary')).toEqual(['two'])
  })

  test('is found whatever memory has room for', async () => {
    const row = (line: number, id: number, summary: string) => ({ line, id, summary }) as IssueRow
    const ids = await openRepeatedIds(2)
    await ids.note([row(2, 1, 'a'), row(3, 2, 'b'), row(4, 3, 'c'), row(5, 4, 'd')])
    await ids.note([row(6, 1, 'a'), row(7, 2, 'x'), row(8, 4, 'x'), row(9, 4, 'y'), row(10, 4, 'd')])

    const found: unknown[] = []
    for await (const portion of ids.find()) found.push(...portion)
    await ids.close()

    expect(found.sort()).toEqual([
      [7, { id: 2, first: 3 }],
      [8, { id: 4, first: 5 }],
      [9, { id: 4, first: 5 }],
    ])
  })
})

test('refuses a CSV without the columns that every issue needs, and names them', async () => {
  await expect(run(givenFile('a.csv', csv('ID,summary,latitude', '1,a,0')))).rejects.toThrow(
    /^The first line of the file does not name id, lat, lng\. It must name columns of an issue/,
  )
})
