import { describe, expect, test } from 'vitest'

import { sql } from '../../src/database/database.ts'
import type { WatchArea } from '../../src/watch-areas/schema.ts'
import { comb, diagonalComb } from '../geo/many-edges.ts'
import { FAR_AWAY, GREEN, square } from '../helpers/given.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { writing } from './writing.ts'

const it = useApp()

const ring = square(GREEN).coordinates[0] as number[][]
const MISSING = 'an area is missing: give area; or lat, lng and radius; or place_url; or min_lat, min_lng, max_lat and max_lng'
const TWO = 'give one area only: area; or lat, lng and radius; or place_url; or min_lat, min_lng, max_lat and max_lng'

async function someone() {
  const person = await it.given.user()
  return { person, client: writing(it.as.user(person)) }
}

/** The titles of the issues in the area of a token. */
async function titles(token: string): Promise<string[] | number> {
  const { status, body } = await it.as.nobody.get(`/issues?watcher_token=${token}`)
  return status === 200 ? (body as { issues: { summary: string }[] }).issues.map(({ summary }) => summary) : status
}

describe('POST /watchers', () => {
  test('watches a polygon with a hole, as it was given, and its token is an area of lists', async () => {
    const { client } = await someone()
    await it.given.issue({ summary: 'In the hole', at: GREEN })
    await it.given.issue({ summary: 'Beside it', at: { lng: GREEN.lng + 0.05, lat: GREEN.lat } })
    const area = { type: 'Polygon', coordinates: [ring, square(GREEN, 0.01).coordinates[0]?.toReversed()] }

    const { status, headers, body } = await client.post('/watchers', { area, name: ' Around  the school ', frequency: 'daily' })

    const created = body as WatchArea
    const { id, watcher_token } = created
    expect(status).toBe(201)
    expect(headers['location']).toBe(`${PUBLIC_URL}/api/v2/watchers/${id}`)
    expect(created).toEqual({
      ...{ id, watcher_token, name: 'Around the school', kind: 'polygon', area, area_simplified: false },
      ...{ circle: null, box: null, place_url: null, frequency: 'daily', about: 'all', locale: 'en' },
      created_at: expect.stringMatching(/Z$/),
      updated_at: created.created_at,
      url: `${PUBLIC_URL}/api/v2/watchers/${id}`,
      issues_url: `${PUBLIC_URL}/api/v2/issues?watcher_token=${watcher_token}`,
      atom_url: `${PUBLIC_URL}/feeds/issues.atom?watcher_token=${watcher_token}`,
      geojson_url: `${PUBLIC_URL}/feeds/issues.geojson?watcher_token=${watcher_token}`,
    })
    expect(watcher_token).toMatch(/^[\w-]{43}$/)
    expect(await titles(watcher_token)).toEqual(['Beside it'])
    expect((await client.get(`/watchers/${id}`)).body).toEqual(created)
  })

  test('watches a circle, a box and a place, by JSON and by a form, and says what was asked for', async () => {
    const { client } = await someone()
    await it.given.place({ url_name: 'here' })
    await it.given.issue({ summary: 'Here', at: GREEN })
    await it.given.issue({ summary: 'There', at: FAR_AWAY })
    const corners = { min_lat: 41, min_lng: -73, max_lat: 42, max_lng: -72 }
    const made = [
      await client.post('/watchers', { ...GREEN, radius: 500 }),
      await client.post('/watchers', `lat=${GREEN.lat}&lng=${GREEN.lng}&radius=500&about=new`, FORM),
      await client.post('/watchers', corners),
      await client.post('/watchers', { place_url: 'here' }, { 'accept-language': 'fr' }),
      await client.post('/watchers', `area=${encodeURIComponent(JSON.stringify(square(GREEN)))}`, FORM),
    ].map(({ body }) => body as WatchArea)

    expect(
      made.map(({ kind, circle, box, place_url, about, locale }) => ({ kind, circle, box, place_url, about, locale })),
    ).toEqual([
      { kind: 'circle', circle: { ...GREEN, radius: 500 }, box: null, place_url: null, about: 'all', locale: 'en' },
      { kind: 'circle', circle: { ...GREEN, radius: 500 }, box: null, place_url: null, about: 'new', locale: 'en' },
      { kind: 'box', circle: null, box: corners, place_url: null, about: 'all', locale: 'en' },
      { kind: 'place', circle: null, box: null, place_url: 'here', about: 'all', locale: 'fr' },
      { kind: 'polygon', circle: null, box: null, place_url: null, about: 'all', locale: 'en' },
    ])
    expect(await Promise.all(made.map(({ watcher_token }) => titles(watcher_token)))).toEqual(made.map(() => ['Here']))
  })

  test('has a place as its boundary is now', async () => {
    const { client } = await someone()
    const { id } = await it.given.place({ url_name: 'here' })
    await it.given.issue({ summary: 'There', at: FAR_AWAY })
    const { watcher_token } = (await client.post('/watchers', { place_url: 'here' })).body as WatchArea
    expect(await titles(watcher_token)).toEqual([])

    const moved = JSON.stringify({ type: 'MultiPolygon', coordinates: [square(FAR_AWAY).coordinates] })
    await it.db.query(
      sql`UPDATE places SET boundary = ST_SetSRID(ST_GeomFromGeoJSON(${moved}), 4326) WHERE id = ${id} RETURNING id`,
    )

    expect(await titles(watcher_token)).toEqual(['There'])
  })

  test('gives a box across the antimeridian in two parts, and a circle there is one as well', async () => {
    const { client } = await someone()
    await it.given.issue({ summary: 'East', at: { lng: -179.995, lat: 0 } })
    const box = { min_lat: -1, min_lng: 179, max_lat: 1, max_lng: -179 }

    const boxed = (await client.post('/watchers', box)).body as WatchArea
    const round = (await client.post('/watchers', { lat: 0, lng: 179.999, radius: 1_000 })).body as WatchArea

    expect([boxed.box, boxed.area.type, boxed.area.coordinates.length]).toEqual([box, 'MultiPolygon', 2])
    expect([round.area.type, round.area.coordinates.length]).toEqual(['MultiPolygon', 2])
    expect(await titles(boxed.watcher_token)).toEqual(['East'])
    expect(await titles(round.watcher_token)).toEqual(['East'])
  })

  const polygon = (...coordinates: unknown[]) => ({ type: 'Polygon', coordinates })
  const shifted = (degrees: number) => ring.map(([lng = 0, lat = 0]) => [lng + degrees, lat])
  const bow = [
    [0, 0],
    [1, 1],
    [1, 0],
    [0, 1],
    [0, 0],
  ]

  test.each<[string, Record<string, unknown>, Record<string, string>]>([
    ['no area', {}, { base: MISSING }],
    ['two areas', { place_url: 'here', area: square(GREEN) }, { base: TWO }],
    ['half a circle', { lat: 1 }, { lng: 'is missing: it goes with lat', radius: 'is missing: it goes with lat' }],
    [
      'three corners beside a whole circle',
      { ...GREEN, radius: 5, min_lat: 1, min_lng: 1, max_lat: 2 },
      { max_lng: 'is missing: it goes with min_lat, min_lng, max_lat' },
    ],
    [
      'numbers out of range, all at once',
      { lat: 91, lng: '-181', radius: 0 },
      {
        lat: 'must be a number from -90 to 90',
        lng: 'must be a number from -180 to 180',
        radius: 'must be a number from 1 to 100000',
      },
    ],
    ['a radius of too much', { ...GREEN, radius: 100_001 }, { radius: 'must be a number from 1 to 100000' }],
    ['a number in words', { lat: 'north', lng: 0, radius: 5 }, { lat: 'must be a number from -90 to 90' }],
    ['an infinite number', { lat: '1e999', lng: 0, radius: 5 }, { lat: 'must be a number from -90 to 90' }],
    [
      'a circle that holds a pole',
      { lat: -89.999, lng: 0, radius: 200 },
      { radius: 'must be smaller here: the circle reaches a pole, and no map shows that' },
    ],
    ['a place that does not exist', { place_url: 'atlantis' }, { place_url: 'is not the url_name of a place' }],
    [
      'a box upside down, of no width',
      { min_lat: 2, min_lng: 1, max_lat: 1, max_lng: 1 },
      { min_lat: 'must not be greater than max_lat', min_lng: 'must not be equal to max_lng: the box has no width' },
    ],
    [
      'a box of no height',
      { min_lat: 2, min_lng: 1, max_lat: 2, max_lng: 2 },
      { min_lat: 'must not be equal to max_lat: the box has no height' },
    ],
    [
      'a box of no width at the antimeridian',
      { min_lat: 1, min_lng: 180, max_lat: 2, max_lng: -180 },
      { min_lng: 'must not be equal to max_lng: the box has no width' },
    ],
    [
      'a Feature',
      { area: { type: 'Feature', geometry: square(GREEN) } },
      { area: 'must be a GeoJSON Polygon or MultiPolygon itself, and not a Feature' },
    ],
    [
      'a GeometryCollection',
      { area: { type: 'GeometryCollection', geometries: [square(GREEN)] } },
      { area: 'must be a GeoJSON Polygon or MultiPolygon itself, and not a GeometryCollection' },
    ],
    ['another type', { area: { type: 'Blob' } }, { area: 'must be a GeoJSON Polygon or MultiPolygon: its type is neither' }],
    ['an area that is a number', { area: 5 }, { area: 'must be a GeoJSON Polygon or MultiPolygon' }],
    ['an area that is no JSON', { area: '{' }, { area: 'must be a GeoJSON Polygon or MultiPolygon' }],
    [
      'no polygons',
      { area: { type: 'MultiPolygon', coordinates: [] } },
      { area: 'must have coordinates with one or more polygons' },
    ],
    ['no rings', { area: { type: 'Polygon', coordinates: [] } }, { area: 'polygon 1 must be a list of one or more rings' }],
    ['a ring that is none', { area: polygon('ring') }, { area: 'ring 1 of polygon 1 must be a list of positions' }],
    [
      'too short a ring',
      { area: polygon(ring, ring.slice(0, 3)) },
      { area: 'ring 2 of polygon 1 must have four or more positions' },
    ],
    [
      'a ring that is not closed',
      { area: { type: 'MultiPolygon', coordinates: [[ring], [ring.slice(0, 4)]] } },
      { area: 'ring 1 of polygon 2 is not closed: its last position must be its first' },
    ],
    [
      'a position that is none',
      { area: polygon([...ring.slice(0, 3), [1, '2'], ring[0]]) },
      { area: 'position 4 of ring 1 of polygon 1 must be [longitude, latitude]' },
    ],
    [
      'a longitude out of range',
      { area: polygon(shifted(-200)) },
      { area: 'position 1 of ring 1 of polygon 1 must have a longitude from -180 to 180' },
    ],
    [
      'latitude and longitude the wrong way round',
      { area: polygon(ring.map(([lng, lat]) => [lat, (lng ?? 0) * 2])) },
      { area: 'position 1 of ring 1 of polygon 1 must have a latitude from -90 to 90' },
    ],
    [
      'a ring across the antimeridian',
      {
        area: polygon([
          [179, 0],
          [-179, 0],
          [-179, 1],
          [179, 0],
        ]),
      },
      {
        area: 'ring 1 of polygon 1 crosses the antimeridian at position 2: cut the area in two there (RFC 7946, 3.1.9)',
      },
    ],
    ['a bow', { area: polygon(bow) }, { area: 'crosses itself, at longitude and latitude 0.5 0.5' }],
    [
      'a hole outside',
      { area: polygon(ring, shifted(1)) },
      { area: expect.stringMatching(/^has a hole outside of the first ring of its polygon, at longitude and latitude/) as string },
    ],
    ['a ring without an area', { area: polygon([bow[0], bow[1], bow[1], bow[0]]) }, { area: expect.any(String) as string }],
    [
      'too many positions',
      { area: polygon(Array.from({ length: 10_001 }, () => [0, 0])) },
      { area: 'must have at most 10,000 positions' },
    ],
    [
      'too many long edges side by side',
      { area: polygon(...diagonalComb(1_200)) },
      { area: 'has too many long edges close to each other: make it simpler' },
    ],
    ['too many rings', { area: polygon(...Array.from({ length: 101 }, () => ring)) }, { area: 'must have at most 100 rings' }],
    [
      'a frequency that is none',
      { ...GREEN, radius: 5, frequency: 'hourly' },
      { frequency: 'must be one of instant, daily, weekly, never' },
    ],
    ['too long a name', { ...GREEN, radius: 5, name: 'x'.repeat(101) }, { name: 'must be a text of at most 100 characters' }],
  ])('refuses %s and says where it is wrong', async (_, body, faults) => {
    const { client } = await someone()

    const answer = await client.post('/watchers', body)

    expect([answer.status, answer.body]).toEqual([422, faults])
    expect(await it.db.query(sql`SELECT w.id FROM watch_areas w`)).toEqual([])
  })

  test.each([
    ['a comb of 9,999 positions', comb(4_998)],
    ['a slanted comb of 2,003 positions', diagonalComb(1_000)],
    [
      'a position too close to zero to be multiplied',
      [
        [
          [0, -1],
          [5e-324, 1],
          [1, 1],
          [1, -1],
          [0, -1],
        ],
      ],
    ],
  ])('takes %s', async (_, rings) => {
    const { client } = await someone()

    expect((await client.post('/watchers', { area: polygon(...rings) })).status).toBe(201)
  })

  test('takes rings in either direction, gives them as RFC 7946 has them, and drops altitudes', async () => {
    const { client } = await someone()
    await it.given.issue({ summary: 'Here', at: GREEN })
    const hole = square({ lng: GREEN.lng + 0.05, lat: GREEN.lat }, 0.01).coordinates[0] as number[][]
    await it.given.issue({ summary: 'In the hole', at: { lng: GREEN.lng + 0.05, lat: GREEN.lat } })
    const clockwise = { type: 'Polygon', coordinates: [ring.toReversed().map((position) => [...position, 120]), hole] }

    const created = (await client.post('/watchers', { area: clockwise })).body as WatchArea
    const listed = (await client.get('/watchers')).body as { watchers: WatchArea[] }

    expect(created.area).toEqual({ type: 'Polygon', coordinates: [ring, hole.toReversed()] })
    expect(listed.watchers).toEqual([created])
    expect(await titles(created.watcher_token)).toEqual(['Here'])
  })

  test('stops at fifty of each user, under a storm too', async () => {
    const { client, person } = await someone()
    const rows = Array.from({ length: 45 }, (_, n) => ({ user_id: person.id, watcher_token: `full-${n}` }))
    for (const { watcher_token } of rows) await it.given.watchArea({ of: person, token: watcher_token })

    const answers = await Promise.all(Array.from({ length: 12 }, () => client.post('/watchers', { ...GREEN, radius: 50 })))

    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(5).fill(201), ...Array<number>(7).fill(422)])
    expect(answers.find(({ status }) => status === 422)?.body).toEqual({
      base: 'you watch 50 areas, which is the most: delete one that you no longer need',
    })
    const other = await someone()
    expect((await other.client.post('/watchers', { ...GREEN, radius: 50 })).status).toBe(201)
  })
})

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
