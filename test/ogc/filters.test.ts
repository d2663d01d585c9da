import { describe, expect, it } from 'vitest'

import { FAR_AWAY, GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()
const ITEMS = '/ogc/collections/issues/items'

const ask = (filter: string, language = 'cql2-text') =>
  app.as.anonymous.send('GET', `${ITEMS}?filter=${encodeURIComponent(filter)}&filter-lang=${language}`)
const idsFor = async (filter: string, language?: string) => {
  const { text } = await ask(filter, language)
  return (JSON.parse(text) as { features: { id: number }[] }).features.map(({ id }) => id)
}

const intersects = (geometry: object) => JSON.stringify({ op: 's_intersects', args: [{ property: 'geometry' }, geometry] })

describe('filter of GET /ogc/collections/issues/items', () => {
  it('compares texts and numbers', async () => {
    const hole = await app.create.issue({ summary: "Ada's hole", base_rating: 5, address: '12 Elm' })
    const lamp = await app.create.issue({ summary: 'Lamp, 100%', base_rating: 2 })

    expect(await idsFor("summary = 'Ada''s hole'")).toEqual([hole])
    expect(await idsFor("summary <> 'Lamp, 100%'")).toEqual([hole])
    expect(await idsFor("summary > 'B'")).toEqual([lamp])
    expect(await idsFor('rating_count >= 5')).toEqual([hole])
    expect(await idsFor('2.5 > rating_count')).toEqual([lamp])
    expect(await idsFor('rating_count BETWEEN 2 AND 4')).toEqual([lamp])
    expect(await idsFor('rating_count NOT BETWEEN 2 AND 4')).toEqual([hole])
    expect(await idsFor("summary LIKE 'Ada%'")).toEqual([hole])
    expect(await idsFor(String.raw`summary LIKE '%100\%'`)).toEqual([lamp])
    expect(await idsFor("summary NOT LIKE '_a%'")).toEqual([hole])
    expect(await idsFor("CASEI(summary) = CASEI('ADA''S HOLE')")).toEqual([hole])
    expect(await idsFor("summary ILIKE 'LAMP%'")).toEqual([lamp])
    expect(await idsFor("ACCENTI(summary) = ACCENTI('Làmp, 100%')")).toEqual([lamp])
    expect(await idsFor("summary IN ('Lamp, 100%', 'x')")).toEqual([lamp])
    expect(await idsFor('address IS NULL')).toEqual([lamp])
    expect(await idsFor('address IS NOT NULL')).toEqual([hole])
    expect(await idsFor("NOT address = '1'")).toEqual([hole])
    expect(await idsFor("(summary = 'x' OR rating_count = 2) AND address IS NULL")).toEqual([lamp])
    expect(await idsFor('id = 99999999999 OR FALSE')).toEqual([])
  })

  it('selects by organisation, votes and source', async () => {
    const organization = await app.create.organization({})
    const request_type = await app.create.requestType({ organization })
    const hole = await app.create.issue({ request_type, source: 'web' })
    const lamp = await app.create.issue({ import_key: 'office-files:7' })
    await app.create.vote({ on: hole, by: await app.create.user() })

    expect(await idsFor(`organization_id = ${organization}`)).toEqual([hole])
    expect(await idsFor('organization_id IS NULL')).toEqual([lamp])
    expect(await idsFor('vote_count > 0')).toEqual([hole])
    expect(await idsFor("source = 'import'")).toEqual([lamp])
  })

  it.each([
    ['Straße', 'STRASSE'],
    ['STRAẞE', 'strasse'],
    ['ΟΔΟΣ', 'οδος'],
    ['ς', 'Σ'],
    ['ﬁne', 'FINE'],
    ['ŉ', 'ʼN'],
    ['\u212a', 'k'],
    ['İ', 'i\u0307'],
    ['ЁЖ', 'ёж'],
  ])('folds the case of %s and %s to the same text by CASEI', async (summary, other) => {
    const issue = await app.create.issue({ summary })

    expect(await idsFor(`CASEI(summary) = CASEI('${other}')`)).toEqual([issue])
    expect(await idsFor(`CASEI(summary) LIKE CASEI('${other}%')`)).toEqual([issue])
  })

  it('folds to lower case by CASEI, as Unicode does', async () => {
    const [hole, street] = [await app.create.issue({ summary: 'Big HOLE' }), await app.create.issue({ summary: 'ΟΔΟΣ ıß' })]

    expect(await idsFor("CASEI(summary) LIKE '%hole%'")).toEqual([hole])
    expect(await idsFor("CASEI(summary) LIKE '%HOLE%'")).toEqual([])
    expect(await idsFor("CASEI(summary) = 'οδοσ ıss'")).toEqual([street])
  })

  it('does not fold accents and the dotless i by CASEI', async () => {
    await app.create.issue({ summary: 'dı é' })

    expect(await idsFor("CASEI(summary) = CASEI('di é')")).toEqual([])
    expect(await idsFor("CASEI(summary) = CASEI('dı E')")).toEqual([])
  })

  it('takes a backslash before the last quote as text', async () => {
    const issue = await app.create.issue({ summary: 'C:\\' })

    expect(await idsFor("summary = 'C:\\'")).toEqual([issue])
  })

  it('tests functions of a property for null', async () => {
    const issue = await app.create.issue()
    await app.create.issue({ address: '12 Elm' })

    expect(await idsFor('CASEI(ACCENTI(address)) IS NULL')).toEqual([issue])
  })

  it('compares the place of an issue', async () => {
    await app.create.place({ url_name: 'new-haven', around: GREEN })
    const issue = await app.create.issue({ at: GREEN })
    const elsewhere = await app.create.issue({ at: FAR_AWAY })

    expect(await idsFor("place_url_name = 'new-haven'")).toEqual([issue])
    expect(await idsFor("'new-haven' = place_url_name AND TRUE")).toEqual([issue])
    expect(await idsFor("place_url_name IN ('boston', 'new-haven')")).toEqual([issue])
    expect(await idsFor(`place_url_name IN ('new-haven', ${Array(50).fill("'boston'").join()})`)).toEqual([issue])
    expect(await idsFor("place_url_name <> 'boston'")).toEqual([issue])
    expect(await idsFor("NOT place_url_name = 'new-haven'")).toEqual([])
    expect(await idsFor("place_url_name NOT IN ('boston')")).toEqual([issue])
    expect(await idsFor("CASEI(place_url_name) LIKE 'new%'")).toEqual([issue])
    expect(await idsFor('place_url_name IS NULL')).toEqual([elsewhere])
  })

  it('compares the category and the assignee', async () => {
    const employee = await app.create.user()
    const pothole = await app.create.issue({ category: 'pothole' })
    const assigned = await app.create.issue({ category: 'water', assignee: employee })

    expect(await idsFor("category = 'pothole'")).toEqual([pothole])
    expect(await idsFor(`assignee_id = ${employee.id}`)).toEqual([assigned])
  })

  it('compares times with the whole seconds that features show', async () => {
    const first = await app.create.issue({ created_at: '2026-01-01T10:00:00.700Z' })
    const second = await app.create.issue({
      created_at: '2026-01-02T00:00:00Z',
      status: 'Closed',
      closed_at: '2026-01-05T00:00:00Z',
    })

    expect(await idsFor("created_at = TIMESTAMP('2026-01-01T10:00:00Z')")).toEqual([first])
    expect(await idsFor("created_at > TIMESTAMP('2026-01-01T10:00:00Z')")).toEqual([second])
    expect(await idsFor("created_at <= '2026-01-01T10:00:00Z'")).toEqual([first])
    expect(await idsFor("created_at = DATE('2026-01-01')")).toEqual([first])
    expect(await idsFor("created_at >= DATE('2026-01-02')")).toEqual([second])
    expect(await idsFor("T_BEFORE(created_at, DATE('2026-01-02'))")).toEqual([first])
    expect(await idsFor("T_AFTER(created_at, DATE('2026-01-01'))")).toEqual([second])
    expect(await idsFor("T_DURING(created_at, INTERVAL('2026-01-01', '2026-01-01'))")).toEqual([first])
    expect(await idsFor("T_INTERSECTS(created_at, INTERVAL('..', '2026-01-01T10:00:00Z'))")).toEqual([first])
    expect(await idsFor("T_DURING(INTERVAL(created_at, closed_at), INTERVAL('2026-01-01', '..'))")).toEqual([second])
    expect(await idsFor("T_EQUALS(created_at, DATE('2026-01-02'))")).toEqual([second])
    expect(await idsFor('T_AFTER(closed_at, created_at)')).toEqual([second])
    expect(await idsFor("created_at < '2026-01-02T'")).toEqual([first])
    expect(await idsFor("created_at = '2026-01-02T'")).toEqual([second])
    expect(await idsFor("'2026-01-01' = DATE('2026-01-01')")).toEqual([first, second])
    expect(await idsFor("DATE('2026-01-01') = '2026-01-01'")).toEqual([first, second])
  })

  it('intersects points, boxes, and polygons with holes, edges included', async () => {
    const corner = await app.create.issue({ at: { lng: 10, lat: 10 } })
    const hole = await app.create.issue({ at: { lng: 15, lat: 15 } })
    const edgeOfHole = await app.create.issue({ at: { lng: 14, lat: 15 } })
    const east = await app.create.issue({ at: { lng: 179.5, lat: -5 } })
    const polygon = 'POLYGON((10 10,20 10,20 20,10 20,10 10),(14 14,16 14,16 16,14 16,14 14))'

    expect(await idsFor('S_INTERSECTS(geometry,POINT(10 10))')).toEqual([corner])
    expect(await idsFor('S_INTERSECTS(geometry,MULTIPOINT((10 10),(15 15)))')).toEqual([corner, hole])
    expect(await idsFor('S_INTERSECTS(BBOX(10,10,14,15),geometry)')).toEqual([corner, edgeOfHole])
    expect(await idsFor('S_INTERSECTS(geometry,BBOX(170,-10,-170,0))')).toEqual([east])
    expect(await idsFor(`S_INTERSECTS(geometry,${polygon})`)).toEqual([corner, edgeOfHole])
    expect(await idsFor('S_INTERSECTS(geometry,MULTIPOLYGON(((9 9,11 9,11 11,9 9)),((179 -6,180 -6,180 -4,179 -6))))')).toEqual([
      corner,
      east,
    ])
    expect(await idsFor('S_INTERSECTS(geometry,LINESTRING(15 0,15 20))')).toEqual([hole])
    expect(await idsFor('S_INTERSECTS(geometry,GEOMETRYCOLLECTION(POINT(10 10),LINESTRING(15 0,15 20)))')).toEqual([corner, hole])
    expect(await idsFor(`NOT S_INTERSECTS(geometry,${polygon})`)).toEqual([hole, east])
  })

  it('reads geometries up to the edge of the world in EPSG:3857', async () => {
    const east = await app.create.issue({ at: { lng: 179.5, lat: 5 } })
    const edge = 20_037_508.342_789_244
    const ring = [`${edge} 0`, `${edge} 1000000`, '19000000 1000000', '19000000 0', `${edge} 0`].join()

    const filter = encodeURIComponent(`S_INTERSECTS(geometry,POLYGON((${ring})))`)
    const { text } = await app.as.anonymous.send(
      'GET',
      `${ITEMS}?filter=${filter}&filter-crs=http://www.opengis.net/def/crs/EPSG/0/3857`,
    )

    expect(JSON.parse(text)).toMatchObject({ features: [{ id: east }] })
  })

  it('accepts a filter of almost 1,000 parts', async () => {
    const issue = await app.create.issue()

    expect(await idsFor(`id IN (${Array(990).fill(issue).join()})`)).toEqual([issue])
  })

  it('reads geometries in filter-crs', async () => {
    const issue = await app.create.issue({ at: { lng: 10, lat: 20 } })

    const filter = encodeURIComponent('S_INTERSECTS(geometry,BBOX(19,9,21,11))')
    const { text } = await app.as.anonymous.send(
      'GET',
      `${ITEMS}?filter=${filter}&filter-crs=http://www.opengis.net/def/crs/EPSG/0/4326`,
    )

    expect(JSON.parse(text)).toMatchObject({ features: [{ id: issue }] })
  })

  it('reads CQL2 JSON', async () => {
    const issue = await app.create.issue({ summary: 'Hole', at: GREEN })
    await app.create.issue({ summary: 'Hole', at: FAR_AWAY })
    const filter = {
      op: 'and',
      args: [
        {
          op: 'like',
          args: [
            { op: 'casei', args: [{ property: 'summary' }] },
            { op: 'casei', args: ['h%'] },
          ],
        },
        { op: 's_intersects', args: [{ property: 'geometry' }, { bbox: [GREEN.lng, GREEN.lat, GREEN.lng, GREEN.lat] }] },
        { op: 't_after', args: [{ property: 'created_at' }, { date: '2000-01-01' }] },
        { op: 'not', args: [{ op: 'isNull', args: [{ property: 'summary' }] }] },
      ],
    }

    expect(await idsFor(JSON.stringify(filter), 'cql2-json')).toEqual([issue])
  })

  it.each([
    ['status =', 'filter: at character 9: expected a property or value, found the end'],
    ["status 'Open'", 'filter: at character 8: expected =, <>, <, <=, >, >=, LIKE, BETWEEN, IN or IS NULL, found Open'],
    ["(status = 'Open'", 'filter: at character 17: expected ), found the end'],
    ['colour = 1', 'filter: at character 1: colour is not a property for filters; the properties are id, status'],
    ["rating_count = 'x'", 'filter: at character 16: expected a number'],
    ["created_at > 'x'", 'filter: at character 14: expected a date or timestamp'],
    ["created_at > '20260101'", 'filter: at character 14: expected a date or timestamp'],
    ["created_at = INTERVAL('2026-01-01', '..')", 'filter: at character 14: expected a date or timestamp'],
    ["INTERVAL('2026-01-01', '..') < created_at", 'filter: at character 1: expected a date or timestamp'],
    ["created_at IN (INTERVAL('..', '2026-01-01'))", 'filter: at character 16: expected a date or timestamp'],
    ['rating_count + 1 = 2', 'filter: at character 14: arithmetic is not supported'],
    ["'x' IS NULL", 'filter: at character 1: expected a property'],
    ['CASEI(rating_count) IS NULL', 'filter: at character 7: expected text'],
    ["5 = 'x'", 'filter: at character 5: expected a number'],
    ["'x' = 5", 'filter: at character 1: expected a number'],
    ['S_INTERSECTS(geometry, geometry)', 'filter: at character 1: expected the property geometry and a geometry'],
    ['S_INTERSECTS(POINT(0 0), POINT(0 0))', 'filter: at character 1: expected the property geometry and a geometry'],
    [`S_INTERSECTS(geometry, ${'GEOMETRYCOLLECTION('.repeat(41)}POINT(0 0)`, 'is nested more than 40 levels deep'],
    ['S_INTERSECTS(geometry, MULTILINESTRING((0 0)))', 'filter: at character 24: expected a geometry'],
    [`id IN (${Array(1_000).fill(1).join()})`, 'has more than 1000 parts'],
    ['avg(rating_count) = 2', 'filter: at character 1: AVG is not supported; the functions are CASEI'],
    ['S_TOUCHES(geometry, POINT(0 0))', 'filter: at character 1: S_TOUCHES is not supported'],
    ['S_INTERSECTS(geometry, POINT(0 100))', 'filter: at character 24: expected a longitude from -180 to 180'],
    ['S_INTERSECTS(geometry, POLYGON((0 0,1 1,1 0,0 1,0 0)))', 'filter: at character 24: crosses itself'],
    ['S_INTERSECTS(status, POINT(0 0))', 'filter: at character 14: expected a geometry'],
    ["summary LIKE 'a\\", 'filter: at character 14: expected a property or value'],
    [`summary = 'a' ${'AND (TRUE '.repeat(60)}`, 'is nested more than 40 levels deep'],
    ["status = 'Open' status", 'filter: at character 17: expected the end, found status'],
  ])('returns 400 with the position for %s', async (filter, message) => {
    const response = await ask(filter)

    expect(response.status).toBe(400)
    expect(response.body).toMatchObject({ message: expect.stringContaining(message) })
  })

  it.each([
    ['{"op":"=","args":[{"property":"colour"},1]}', 'filter: at /args/0: colour is not a property'],
    ['{"op":"and","args":[true]}', 'filter: at /args: expected a list of 2 to 1,000 arguments'],
    ['{"op":"=","args":[{"property":"status"},null]}', 'filter: at /args/1: expected a property or value'],
    ['{"op":"avg","args":[]}', 'filter: at /op: avg is not supported'],
    ['{"op":"=","args":[{"property":"status"},"\\ud800"]}', 'filter: at /args/1: must be valid Unicode text'],
    ['[', 'filter: at character 2: expected a CQL2 expression as JSON'],
    ['{"op":"=" "args":[]}', 'filter: at character 11: expected a CQL2 expression as JSON'],
    ['[x]', 'filter: at the root: expected a CQL2 expression as JSON'],
    [intersects({ type: 'GeometryCollection', geometries: [null] }), 'filter: at /args/1/geometries/0: expected a geometry'],
    [intersects({ type: 'GeometryCollection' }), 'filter: at /args/1/geometries: expected a geometry'],
    [intersects({ type: 'MultiPoint', coordinates: [] }), 'filter: at /args/1/coordinates: expected a geometry'],
    [
      intersects({
        type: 'LineString',
        coordinates: [
          [0, 0],
          [0, '1'],
        ],
      }),
      'filter: at /args/1/coordinates/1: expected a longitude',
    ],
    [JSON.stringify({ op: 'in', args: [{ property: 'id' }, Array(1_000).fill(1)] }), 'has more than 1000 parts'],
  ])('returns 400 with the JSON Pointer for %s', async (filter, message) => {
    const response = await ask(filter, 'cql2-json')

    expect(response.status).toBe(400)
    expect(response.body).toMatchObject({ message: expect.stringContaining(message) })
  })
})
