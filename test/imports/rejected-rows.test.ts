import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'

import { sql, type Database } from '../../src/database/database.ts'
import { importIssues } from '../../src/imports/import-issues.ts'
import { importPlaces } from '../../src/imports/import-places.ts'
import { openTestDatabase, resetDatabase } from '../helpers/database.ts'
import { csv, featureCollection, writeTemporaryFile } from './files.ts'
import { emptyReport } from './reports.ts'
import { queryRows } from '../helpers/query-rows.ts'

const HEADER = 'id,summary,lat,lng'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())
beforeEach(() => resetDatabase(database))

const run = (path: string) => importIssues(database, { path })

const column = async (name: 'id' | 'import_key' | 'summary') =>
  (await queryRows<Record<string, unknown>>(database, sql`SELECT i.id, i.import_key, i.summary FROM issues i ORDER BY i.id`)).map(
    (issue) => issue[name],
  )

const repair = (path: string, wrong: string, right: string) =>
  writeFileSync(path, readFileSync(path, 'latin1').replace(wrong, right), 'latin1')

describe('an invalid CSV row', () => {
  it('is written to a file with its line and all reasons, and valid rows are imported', async () => {
    const path = writeTemporaryFile(
      'bad.csv',
      csv(
        `${HEADER},status,created_at,colour,rating,request_type_id,video_url,reporter_id`,
        '1,good,33.75,-84.39,,,red,,,,',
        '2, ,33.75,-84.39,Open,,"red, blue",,,,',
        '3,c,90.1,-180.5,open,08/07/2018,,,,,',
        '4,d,NaN,1e999,Fixed,2018-02-30T00:00:00Z,,1.5,,,',
        '0,e,,0,,,,-1,,,',
        '2147483648,f,0,0,,,,,,,',
        ',g,0,0,,,,,77,javascript:alert(1),-1',
        '8,h,0,0,,,,,77,,',
        `9,${'i'.repeat(1001)},0,0,,,,,,,`,
        '10,j\0,0,0,,,,,,,',
        '11,k,0',
        '12,good,0,0,,,,,,,',
      ),
    )

    expect(await run(path)).toEqual({
      ...emptyReport,
      rows: 12,
      imported: 2,
      rejected: 10,
      rejectedFile: `${path}.rejected.csv`,
      ignoredColumns: ['colour'],
    })

    expect(await column('id')).toEqual([1, 12])
    const stamp = 'created_at must be an ISO 8601 timestamp such as 2018-07-08T21:34:26Z'
    const status = 'status must be one of Open, Acknowledged, Closed, Archived'
    const lat = 'lat must be a number from -90 to 90'
    const lng = 'lng must be a number from -180 to 180'
    const rating = 'rating must be an integer from 0 to 1000000000'
    expect(readFileSync(`${path}.rejected.csv`, 'utf8')).toBe(
      csv(
        `${HEADER},status,created_at,colour,rating,request_type_id,video_url,reporter_id,line,reason,row`,
        '2, ,33.75,-84.39,Open,,"red, blue",,,,,3,summary is missing,',
        `3,c,90.1,-180.5,open,08/07/2018,,,,,,4,"${[lng, lat, stamp, status].join('; ')}",`,
        `4,d,NaN,1e999,Fixed,2018-02-30T00:00:00Z,,1.5,,,,5,"${[lng, lat, rating, stamp, status].join('; ')}",`,
        `0,e,,0,,,,-1,,,,6,${['lat is missing', 'id must be an integer from 1 to 2000000000', rating].join('; ')},`,
        '2147483648,f,0,0,,,,,,,,7,id must be an integer from 1 to 2000000000,',
        `,g,0,0,,,,,77,javascript:alert(1),-1,8,${['id is missing', 'reporter_id must be an integer from 0 to 2000000000', 'video_url must be an http or https URL'].join('; ')},`,
        '8,h,0,0,,,,,77,,,9,"request_type_id 77 does not exist: import the organisations with their request types first (npm run import -- organizations FILE, see docs/import.md)",',
        `9,${'i'.repeat(1001)},0,0,,,,,,,,10,summary must be at most 1000 characters long,`,
        '10,j\0,0,0,,,,,,,,11,summary must not contain the character U+0000,',
        ',,,,,,,,,,,12,the row has 3 columns instead of 11,"11,k,0"',
      ),
    )
  })

  it('is imported after its repair, and the file of rejected rows is removed', async () => {
    const path = writeTemporaryFile('a.csv', csv(HEADER, '1,a,0,0', '2,,0,0'))
    await run(path)
    const rejected = `${path}.rejected.csv`
    writeFileSync(rejected, readFileSync(rejected, 'utf8').replace('2,,', '2,b,'))

    expect(await run(rejected)).toEqual({ ...emptyReport, rows: 1, imported: 1 })
    writeFileSync(path, csv(HEADER, '1,a,0,0', '2,b,0,0'))
    expect(await run(path)).toEqual({ ...emptyReport, rows: 2, unchanged: 2 })

    expect(existsSync(rejected)).toBe(false)
    expect(await column('import_key')).toEqual(['a:1', 'a:2'])
  })

  it('is rejected alone if a constraint of the database refuses it', async () => {
    await database.execute(sql`ALTER TABLE issues ADD CONSTRAINT no_cats CHECK (summary <> 'cat')`)
    onTestFinished(async () => void (await database.execute(sql`ALTER TABLE issues DROP CONSTRAINT no_cats`)))
    const path = writeTemporaryFile('a.csv', csv(HEADER, '1,a,0,0', '2,cat,0,0', '3,c,0,0', '4,d,0,0', '5,cat,0,0'))

    const report = await run(path)

    expect(report).toEqual({ ...emptyReport, rows: 5, imported: 3, rejected: 2, rejectedFile: `${path}.rejected.csv` })
    expect(await column('id')).toEqual([1, 3, 4])
    expect(readFileSync(`${path}.rejected.csv`, 'utf8')).toMatch(/^2,cat,0,0,3,.*no_cats.*\n5,cat,0,0,6,.*no_cats.*\n$/m)
  })

  it('is written with its text if it is unreadable, and is imported only after its repair', async () => {
    const lines = [
      '1,good,0,0',
      '2,one, two,0,0',
      '3,"open,0,0',
      '4,caf\u00e9,0,0',
      `5,${'x'.repeat(1_100_000)},0,0`,
      '6,good,0',
      '7,too,1,2,3',
    ]
    const path = writeTemporaryFile('a.csv', Buffer.from(csv(HEADER, ...lines), 'latin1'))
    const rejectedLines = [
      `${HEADER},line,reason,row`,
      ',,,,3,the row has 5 columns instead of 4,"2,one, two,0,0"',
      ',,,,4,a quotation mark is not closed,"3,""open,0,0"',
      ',,,,5,the line is not UTF-8,"4,caf\u00e9,0,0"',
      `,,,,6,the line is longer than 1048576 bytes; only the beginning is shown,"5,${'x'.repeat(998)}"`,
      ',,,,7,the row has 3 columns instead of 4,"6,good,0"',
      ',,,,8,the row has 5 columns instead of 4,"7,too,1,2,3"',
    ]
    const rejected = { ...emptyReport, rows: 6, rejected: 6, rejectedFile: `${path}.rejected.csv.rejected.csv` }

    expect(await run(path)).toMatchObject({ rows: 7, imported: 1, rejected: 6 })
    expect(readFileSync(`${path}.rejected.csv`, 'utf8')).toBe(csv(...rejectedLines))
    expect(await run(`${path}.rejected.csv`)).toEqual(rejected)
    const again = readFileSync(`${path}.rejected.csv.rejected.csv`, 'utf8').split('\n')
    expect(again[1]).toBe(',,,,2,lng is missing; lat is missing; id is missing; summary is missing,"2,one, two,0,0"')
    repair(`${path}.rejected.csv`, ',,,,7,', '6,repaired,0,0,7,')
    expect(await run(`${path}.rejected.csv`)).toEqual({ ...rejected, imported: 1, rejected: 5 })

    expect(await column('summary')).toEqual(['good', 'repaired'])
    expect(await column('import_key')).toEqual(['a:1', 'a:6'])
  })

  it('may have columns named like those of the file of rejected rows', async () => {
    const path = writeTemporaryFile('a.csv', csv(`${HEADER},reason,line`, '1,,0,0,why,Blue'))
    await run(path)
    const rejected = `${path}.rejected.csv`
    const content = readFileSync(rejected, 'utf8')

    const again = await run(rejected)

    expect(content).toBe(csv(`${HEADER},reason,line,rejected_line,rejected_reason,row`, '1,,0,0,why,Blue,2,summary is missing,'))
    expect(again.ignoredColumns).toEqual(['reason', 'line'])
    expect(readFileSync(`${rejected}.rejected.csv`, 'utf8')).toBe(content)
  })
})

describe('an invalid feature', () => {
  const point = { type: 'Point', coordinates: [2, 1] }
  const lineString = { type: 'LineString', coordinates: [[0, 0], [1, 1]] } // prettier-ignore

  it('is written to a CSV file with its line and columns, and unchanged to a GeoJSON file', async () => {
    const features = [
      { type: 'Feature', id: 1, bbox: [1], properties: { summary: 'road', colour: 'red' }, geometry: lineString },
      { type: 'Feature', properties: { id: '2', summary: { a: 1 }, lat: 1, lng: 2 }, geometry: null },
      {
        type: 'Feature',
        properties: { id: 3, summary: 'half \ud800', created_at: 1531085666 },
        geometry: { ...point, coordinates: [] },
      },
      ['none'],
    ]
    const path = writeTemporaryFile('a.geojson', featureCollection(...features))

    expect(await run(path)).toEqual({
      ...emptyReport,
      rows: 4,
      rejected: 4,
      rejectedFile: `${path}.rejected.csv`,
      rejectedFeatures: `${path}.rejected.geojsonl`,
      ignoredColumns: ['colour'],
    })

    expect(readFileSync(`${path}.rejected.csv`, 'utf8')).toBe(
      csv(
        'id,status,rating,summary,description,lat,lng,address,reporter_id,assignee_id,request_type_id,category,video_url,source,outcome,created_at,updated_at,acknowledged_at,closed_at,reopened_at,line,reason,row',
        '1,,,road,,,,,,,,,,,,,,,,,1,geometry must be a Point,',
        '2,,,"{""a"":1}",,1,2,,,,,,,,,,,,,,2,summary must be a string,',
        '3,,,half \ufffd,,,,,,,,,,,,1531085666,,,,,3,lng is missing; lat is missing; summary must be valid Unicode: it contains half of a surrogate pair; created_at must be an ISO 8601 timestamp such as 2018-07-08T21:34:26Z,',
        ',,,,,,,,,,,,,,,,,,,,4,it is not a GeoJSON Feature,"[""none""]"',
      ),
    )
    expect(readFileSync(`${path}.rejected.geojsonl`, 'utf8')).toBe(
      features.map((feature) => `${JSON.stringify(feature)}\n`).join(''),
    )
  })

  it('is rejected alone if its line is nested too deep or not UTF-8, for issues and places', async () => {
    const good = { type: 'Feature', id: 9, properties: { summary: 'good' }, geometry: point }
    const deep = `{"type":"Feature","id":1,"geometry":{"type":"Point","coordinates":${'['.repeat(2_000)}${']'.repeat(2_000)}}}`
    const latin = '{"type":"Feature","id":2,"properties":{"summary":"caf\u00e9"},"geometry":{"type":"Point","coordinates":[1,2]}}'
    const path = writeTemporaryFile('b.ndjson', Buffer.from([deep, latin, JSON.stringify(good)].join('\n'), 'latin1'))
    const counts = { rows: 3, imported: 1, rejected: 2 }

    expect(await run(path)).toMatchObject(counts)
    expect(await importPlaces(database, { path })).toMatchObject({ rows: 3, imported: 0, rejected: 3 })
    expect(await run(path)).toMatchObject({ ...counts, imported: 0, unchanged: 1 })

    const content = readFileSync(`${path}.rejected.csv`, 'utf8')
    expect(content).toContain(',1,the line is nested deeper than 100 levels,"{""type"":""Feature"",""id"":1,')
    expect(content).toContain(',2,the line is not UTF-8,"{""type"":""Feature"",""id"":2,""properties"":{""summary"":""caf\u00e9""}')
    expect(readFileSync(`${path}.rejected.geojsonl`, 'latin1')).toBe(`${deep}\n${latin}\n`)
    expect(await run(`${path}.rejected.geojsonl`)).toMatchObject({ rows: 2, rejected: 2 })
  })

  it('is imported as an issue after its repair, under the source of the original file', async () => {
    const line = (id: number, summary: string) => JSON.stringify({ type: 'Feature', id, properties: { summary }, geometry: point })
    const path = writeTemporaryFile(
      'a.ndjson',
      Buffer.from(`${line(1, ' ')}\n${line(2, 'caf\u00e9')}\n{"type":\n${line(4, 'good')}`, 'latin1'),
    )
    const rejected = `${path}.rejected.geojsonl`

    expect(await run(path)).toMatchObject({ rows: 4, imported: 1, rejected: 3, rejectedFeatures: rejected })
    expect(await run(rejected)).toMatchObject({ rows: 3, rejected: 3, rejectedFeatures: `${rejected}.rejected.geojsonl` })
    expect(readFileSync(`${rejected}.rejected.geojsonl`)).toEqual(readFileSync(rejected))
    repair(rejected, '{"type":\n', `${line(3, 'whole')}\n`)
    repair(rejected, 'caf\u00e9', 'cafe')
    repair(rejected, '" "', '"one"')
    expect(await run(rejected)).toEqual({ ...emptyReport, rows: 3, imported: 3 })

    expect(await column('summary')).toEqual(['one', 'cafe', 'whole', 'good'])
    expect(await column('import_key')).toEqual(['a:1', 'a:2', 'a:3', 'a:4'])
  })

  it('is imported as a place with its boundary after its repair, also one with a repeated url_name', async () => {
    const boundary = { type: 'Polygon', coordinates: [[[0, 0], [1, 0], [1, 1], [0, 0]]] } // prettier-ignore
    const place = (name: string, url_name: string) => ({
      type: 'Feature',
      properties: { name, url_name, place_type: 'City' },
      geometry: boundary,
    })
    const path = writeTemporaryFile(
      'towns.geojson',
      featureCollection(place('New', 'New'), place('Old', 'old'), place('Old', 'old'), place('Other', 'old')),
    )
    const rejected = `${path}.rejected.geojsonl`
    const counts = { rows: 4, imported: 1, unchanged: 1, rejected: 2, rejectedFeatures: rejected }

    expect(await importPlaces(database, { path })).toMatchObject(counts)
    expect(await importPlaces(database, { path })).toMatchObject({ ...counts, imported: 0, unchanged: 2 })
    expect(readFileSync(`${path}.rejected.csv`, 'utf8')).toContain(
      'Other,old,City,,,,,4,"url_name ""old"" is already used in feature 2 with other values"',
    )
    repair(rejected, '"New","url_name":"New"', '"New","url_name":"new"')
    repair(rejected, '"Other","url_name":"old"', '"Other","url_name":"other"')
    expect(await importPlaces(database, { path: rejected })).toMatchObject({ rows: 2, imported: 2, rejectedFile: null })

    expect(
      await queryRows(database, sql`SELECT p.import_key, ST_NPoints(p.boundary) AS corners FROM places p ORDER BY p.import_key`),
    ).toEqual([
      { import_key: 'towns:new', corners: 4 },
      { import_key: 'towns:old', corners: 4 },
      { import_key: 'towns:other', corners: 4 },
    ])
    expect(existsSync(rejected)).toBe(true)
  })
})
