import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { sql, type Database } from '../../src/database/database.ts'
import { importPlaces } from '../../src/imports/import-places.ts'
import { reservedUrlNames } from '../../src/places/rules.ts'
import { openTestDatabase, resetDatabase } from '../helpers/database.ts'
import { csv, featureCollection, writeTemporaryFile } from './files.ts'
import { queryRows } from '../helpers/query-rows.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())
beforeEach(() => resetDatabase(database))

type Ring = readonly (readonly number[])[]

const square = (lng: number, lat: number, side: number): Ring => [
  [lng, lat],
  [lng + side, lat],
  [lng + side, lat + side],
  [lng, lat + side],
  [lng, lat],
]
/** Two triangles that meet where the ring crosses itself. */
const BOW_TIE: Ring = [
  [0, 0],
  [2, 2],
  [2, 0],
  [0, 2],
  [0, 0],
]

const polygon = (...coordinates: Ring[]) => ({ type: 'Polygon', coordinates })
const place = (url_name: unknown, geometry: unknown, more: object = {}) => ({
  type: 'Feature',
  properties: { name: 'Town', url_name, place_type: 'City', ...more },
  geometry,
})

const run = (path: string) => importPlaces(database, { path, source: 'census' })

const nothing = {
  rows: 0,
  imported: 0,
  unchanged: 0,
  rejected: 0,
  rejectedFile: null,
  rejectedFeatures: null,
  ignoredColumns: [],
  repaired: [],
  stopped: false,
}

const places = () =>
  queryRows<Record<string, unknown>>(
    database,
    sql`
    SELECT p.name, p.url_name, p.place_type, p.county, p.state, p.external_id, p.import_key, p.center_lng, p.center_lat,
      round(p.area_m2 / 1e6) AS area_km2, ST_AsText(p.boundary) AS boundary
    FROM places p ORDER BY p.url_name`,
  )

describe('importPlaces', () => {
  it('imports polygons and multipolygons with a centre inside them and their area', async () => {
    const crescent: Ring = [
      [0, 0],
      [4, 0],
      [4, 1],
      [1, 1],
      [1, 3],
      [4, 3],
      [4, 4],
      [0, 4],
      [0, 0],
    ]
    const path = writeTemporaryFile(
      'places.geojson',
      featureCollection(
        place('crescent', polygon(crescent), { county: 'Fulton', state: 'GA', GEOID: '13121', geoid: 1 }),
        place(
          'islands',
          {
            type: 'MultiPolygon',
            coordinates: [[square(10, 10, 1)], [square(20, 10, 1).map((position) => [...position, 7])]],
          },
          { external_id: 'islands-7', GEOID: '13121' },
        ),
      ),
    )

    expect(await run(path)).toEqual({ ...nothing, rows: 2, imported: 2, ignoredColumns: ['geoid'] })

    expect(await places()).toEqual([
      {
        name: 'Town',
        url_name: 'crescent',
        place_type: 'City',
        county: 'Fulton',
        state: 'GA',
        external_id: '13121',
        import_key: 'census:crescent',
        center_lng: 0.5,
        center_lat: 2,
        area_km2: 122982,
        boundary: 'MULTIPOLYGON(((0 0,4 0,4 1,1 1,1 3,4 3,4 4,0 4,0 0)))',
      },
      {
        name: 'Town',
        url_name: 'islands',
        place_type: 'City',
        county: null,
        state: null,
        external_id: 'islands-7',
        import_key: 'census:islands',
        center_lng: expect.any(Number) as number,
        center_lat: 10.5,
        area_km2: 24216,
        boundary: 'MULTIPOLYGON(((10 10,11 10,11 11,10 11,10 10)),((20 10,21 10,21 11,20 11,20 10)))',
      },
    ])
  })

  it('is idempotent', async () => {
    const path = writeTemporaryFile(
      'places.geojson',
      featureCollection(place('a', polygon(square(0, 0, 1))), place('b', polygon(BOW_TIE))),
    )
    await run(path)
    const before = await queryRows(database, sql`SELECT * FROM places p ORDER BY p.id`)

    expect(await run(path)).toEqual({ ...nothing, rows: 2, unchanged: 2 })

    expect(await queryRows(database, sql`SELECT * FROM places p ORDER BY p.id`)).toEqual(before)
  })

  it('repairs a ring that crosses itself and reports the place', async () => {
    const report = await run(
      writeTemporaryFile('places.geojson', featureCollection(place('bow-tie', polygon(BOW_TIE), { name: 'Bow Tie' }))),
    )

    expect(report).toEqual({ ...nothing, rows: 1, imported: 1, repaired: [{ name: 'Bow Tie', reason: 'Self-intersection[1 1]' }] })
    const [made] = await queryRows(
      database,
      sql`
    SELECT ST_IsValid(p.boundary) AS valid, ST_NumGeometries(p.boundary) AS parts, ST_Area(p.boundary) AS area,
      ST_Covers(p.boundary, ST_SetSRID(ST_MakePoint(p.center_lng, p.center_lat), 4326)) AS centred
    FROM places p`,
    )
    expect(made).toEqual({ valid: true, parts: 2, area: 2, centred: true })
  })

  it('rejects invalid places with a reason and imports the others', async () => {
    await database.execute(sql`
    INSERT INTO places (name, url_name, place_type, boundary, center_lng, center_lat, area_m2)
    SELECT 'First', 'first', 'City', ST_Multi(ST_MakeEnvelope(0, 0, 1, 1, 4326)), 0.5, 0.5, 1`)
    const good = polygon(square(0, 0, 1))
    const path = writeTemporaryFile(
      'places.geojson',
      featureCollection(
        place('first', good),
        place('issues', good),
        place('New York', good),
        place('2026', good),
        place(null, good, { name: ' ', place_type: undefined }),
        place('line', polygon([[0, 0], [1, 1], [0, 0], [0, 0]])), // prettier-ignore
        place('open', polygon(square(0, 0, 1).slice(0, 4))),
        place('far', polygon(square(179.5, 0, 1))),
        place('text', polygon([['0', 0], [1, 0], [1, 1], ['0', 0]] as unknown as Ring)), // prettier-ignore
        place('point', { type: 'Point', coordinates: [0, 0] }),
        place('nowhere', null),
        place('good', good),
      ),
    )

    const report = await run(path)

    expect(report).toEqual({
      ...nothing,
      rows: 12,
      imported: 1,
      rejected: 11,
      rejectedFile: `${path}.rejected.csv`,
      rejectedFeatures: `${path}.rejected.geojsonl`,
    })
    expect((await places()).map((row) => row['url_name'])).toEqual(['first', 'good'])
    const shape = '"url_name must be 1 to 100 lowercase letters, digits and hyphens, and not begin with a hyphen"'
    const coordinates = '"coordinates must be rings of [longitude, latitude] from -180 to 180 and from -90 to 90 degrees"'
    const lines = readFileSync(`${path}.rejected.csv`, 'utf8').split('\n')
    expect(lines.filter((line) => !line.startsWith('Town,line,')).join('\n')).toBe(
      csv(
        'name,url_name,place_type,county,state,external_id,GEOID,line,reason,row',
        'Town,first,City,,,,,1,"url_name ""first"" belongs to a place of another source",',
        'Town,issues,City,,,,,2,"url_name ""issues"" is reserved: it is a path of the API",',
        `Town,New York,City,,,,,3,${shape},`,
        'Town,2026,City,,,,,4,url_name must not consist of digits only: such paths are ids,',
        ' ,,,,,,,5,name is missing; url_name is missing; place_type is missing,',
        'Town,open,City,,,,,7,"each ring must have at least four positions, and the last must equal the first",',
        `Town,far,City,,,,,8,${coordinates},`,
        `Town,text,City,,,,,9,${coordinates},`,
        'Town,point,City,,,,,10,geometry must be a Polygon or MultiPolygon,',
        'Town,nowhere,City,,,,,11,geometry is missing: it must be a Polygon or MultiPolygon,',
      ),
    )
    // PostGIS words the end of this message.
    expect(lines[6]).toMatch(/^Town,line,City,,,,,6,the boundary encloses no area: /)
  })

  it('refuses CSV', async () => {
    const path = writeTemporaryFile('places.csv', csv('name,url_name'))

    await expect(run(path)).rejects.toThrow(`Places must be GeoJSON, but ${path} is CSV.`)
  })

  it('reserves the first path segments of the API as url_name', () => {
    expect([...reservedUrlNames].join(' ')).toBe(
      'answers comments emails issues moderation oauth organizations passwords places profile questions request_types tokens users watchers',
    )
  })

  it('imports a place whose edges span half the world', async () => {
    const path = writeTemporaryFile('places.geojson', featureCollection(place('half', polygon([[-90, 0], [90, 0], [90, 45], [-90, 45], [-90, 0]])))) // prettier-ignore

    expect(await run(path)).toEqual({ ...nothing, rows: 1, imported: 1 })
    const [half] = await places()
    expect(Number(half?.['area_km2']) / (510_065_622 / 4)).toBeCloseTo(Math.SQRT1_2, 2)
  })
})
