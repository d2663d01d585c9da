import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { sql, type Database } from '../../src/database/database.ts'
import { importIssues } from '../../src/imports/import-issues.ts'
import { openTestDatabase, resetDatabase } from '../helpers/database.ts'
import { csv, featureCollection, writeTemporaryFile } from './files.ts'
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
  queryRows<Record<string, unknown>>(
    database,
    sql`
    SELECT i.id, i.import_key, i.status, i.rating, i.summary, i.description, i.lng, i.lat, i.address, i.reporter_id, i.anonymous,
      i.assignee_id, i.request_type_id, i.category, i.video_url, i.source, i.created_at, i.updated_at, i.acknowledged_at, i.closed_at,
      i.reopened_at, i.imported_at
    FROM issues i ORDER BY i.id`,
  )

const column = async (name: string) => (await issues()).map((issue) => issue[name])

describe('importIssues', () => {
  it('imports every column of a full row', async () => {
    await database.execute(sql`INSERT INTO request_types (id, title, category) VALUES (9, 'Potholes', 'pothole')`)
    const columns =
      'id,status,rating,summary,description,lat,lng,address,reporter_id,assignee_id,request_type_id,video_url,source,created_at,updated_at,acknowledged_at,closed_at,reopened_at'
    const path = writeTemporaryFile(
      'full.csv',
      csv(
        columns,
        '7,Closed,5,"Hole, ""deep""","a\nb\\c\td",33.75,-84.39,1 Main St,3,4,9,https://youtu.be/x,open311,2018-07-08T21:34:26Z,2018-07-12T00:00:00+02:00,2018-07-09,2018-07-10T10:00,2018-07-11T10:00:00.123456Z',
      ),
    )

    expect(await run(path)).toEqual({ ...emptyReport, rows: 1, imported: 1 })

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
        source: 'open311',
        created_at: '2018-07-08T21:34:26.000Z',
        updated_at: '2018-07-11T22:00:00.000Z',
        acknowledged_at: '2018-07-09T00:00:00.000Z',
        closed_at: '2018-07-10T10:00:00.000Z',
        reopened_at: '2018-07-11T10:00:00.123Z',
        imported_at: NOW.toISOString(),
      },
    ])
  })

  it('applies the defaults to a minimal row', async () => {
    await run(writeTemporaryFile('least.csv', csv(HEADER, '7,Hole,33.75,-84.39')))

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
        source: 'import',
        created_at: NOW.toISOString(),
        updated_at: NOW.toISOString(),
        acknowledged_at: null,
        closed_at: null,
        reopened_at: null,
        imported_at: NOW.toISOString(),
      },
    ])
  })

  it('counts the length of a text in characters, not in UTF-16 units', async () => {
    const [summary, description] = ['🚧'.repeat(1_000), '🚧'.repeat(20_000)]
    const path = writeTemporaryFile(
      'long.csv',
      csv(`${HEADER},description`, `1,${summary},0,0,${description}`, `2,${summary}x,0,0,`, `3,a,0,0,${description}x`),
    )

    expect(await run(path)).toMatchObject({ rows: 3, imported: 1, rejected: 2 })
    expect(await issues()).toMatchObject([{ id: 1, summary, description }])
  })

  it('is idempotent across formats', async () => {
    const path = writeTemporaryFile('a.csv', csv(HEADER, '7,Hole,33.75,-84.39', '8,Bump,33.75,-84.39'))
    await run(path)
    const before = await issues()
    const changed = { type: 'Feature', id: 7, properties: { summary: 'Changed' }, geometry: { type: 'Point', coordinates: [1, 2] } }

    expect(await run(path)).toEqual({ ...emptyReport, rows: 2, unchanged: 2 })
    expect(await run(writeTemporaryFile('a.geojson', featureCollection(changed)))).toEqual({
      ...emptyReport,
      rows: 1,
      unchanged: 1,
    })

    expect(await issues()).toEqual(before)
  })

  it('imports the rating and computes a missing one as for a new issue', async () => {
    const path = writeTemporaryFile(
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

  it('uses the latest timestamp of the row if updated_at is missing', async () => {
    const path = writeTemporaryFile(
      'a.csv',
      csv(
        `${HEADER},created_at,updated_at,acknowledged_at,closed_at,reopened_at`,
        '1,a,0,0,2018-07-08T00:00:00Z,,2018-07-11T00:00:00Z,2018-07-10T00:00:00Z,',
        '2,b,0,0,2018-07-08T00:00:00Z,2001-01-01T00:00:00Z,,2018-07-10T00:00:00Z,2018-07-01T00:00:00Z',
        '3,c,0,0,,,,2018-07-10T00:00:00Z,',
      ),
    )

    expect(await run(path)).toEqual({ ...emptyReport, rows: 3, imported: 3 })

    expect(await column('created_at')).toEqual(['2018-07-08T00:00:00.000Z', '2018-07-08T00:00:00.000Z', NOW.toISOString()])
    expect(await column('updated_at')).toEqual(['2018-07-11T00:00:00.000Z', '2001-01-01T00:00:00.000Z', NOW.toISOString()])
  })

  it('creates placeholder users without a password for unknown ids and does not change existing users', async () => {
    await database.execute(sql`INSERT INTO users (id, name, password_hash) VALUES (3, 'Ada', 'hash')`)
    const path = writeTemporaryFile(
      'a.csv',
      csv(`${HEADER},reporter_id,assignee_id`, '1,a,0,0,3,', '2,b,0,0,1502269,3', '3,c,0,0,0,12', '4,d,0,0,,1502269'),
    )

    await run(path)

    expect(await queryRows(database, sql`SELECT u.id, u.name, u.password_hash FROM users u ORDER BY u.id`)).toEqual([
      { id: 3, name: 'Ada', password_hash: 'hash' },
      { id: 12, name: 'User 12', password_hash: null },
      { id: 1502269, name: 'User 1502269', password_hash: null },
    ])
    expect(await column('reporter_id')).toEqual([3, 1502269, null, null])
    expect(await column('anonymous')).toEqual([false, false, true, true])
  })

  it('moves the sequences past the ids of the file', async () => {
    await run(writeTemporaryFile('a.csv', csv(`${HEADER},reporter_id`, '900,a,0,0,70', '5,b,0,0,3')))

    expect(await queryRows(database, sql`INSERT INTO issues (summary, lng, lat) VALUES ('new', 0, 0) RETURNING id`)).toEqual([
      { id: 901 },
    ])
    expect(await queryRows(database, sql`INSERT INTO users (name) VALUES ('new') RETURNING id`)).toEqual([{ id: 71 }])
  })

  it('writes no events', async () => {
    await run(writeTemporaryFile('a.csv', csv(HEADER, '1,a,0,0')))

    expect(await queryRows(database, sql`SELECT e.id FROM events e`)).toEqual([])
  })
})

describe('importIssues of a CSV without required columns', () => {
  it('throws an error that names the missing columns', async () => {
    await expect(run(writeTemporaryFile('a.csv', csv('ID,summary,latitude', '1,a,0')))).rejects.toThrow(
      /^The header of the file has no id, lat, lng\. Required columns: id, summary, lat, lng\. Optional columns: status, /,
    )
  })
})
