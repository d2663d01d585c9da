import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { comb, diagonalComb } from '../geo/many-edges.ts'
import { GREEN, square } from '../helpers/factories.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { useApp } from '../helpers/use-app.ts'
import { createWriteClient } from './write-client.ts'

const app = useApp()

const ring = square(GREEN).coordinates[0] as number[][]
const MISSING = 'an area is missing: give area; or lat, lng and radius; or place_url; or min_lat, min_lng, max_lat and max_lng'
const TWO = 'give one area only: area; or lat, lng and radius; or place_url; or min_lat, min_lng, max_lat and max_lng'
const polygon = (...coordinates: unknown[]) => ({ type: 'Polygon', coordinates })
const shifted = (degrees: number) => ring.map(([lng = 0, lat = 0]) => [lng + degrees, lat])
const bow = [
  [0, 0],
  [1, 1],
  [1, 0],
  [0, 1],
  [0, 0],
]

describe('POST /watchers', () => {
  it.each<[string, Record<string, unknown>, Record<string, string>]>([
    ['no area', {}, { base: MISSING }],
    ['two areas', { place_url: 'here', area: square(GREEN) }, { base: TWO }],
    ['half a circle', { lat: 1 }, { lng: 'is required together with lat', radius: 'is required together with lat' }],
    [
      'three corners and a complete circle',
      { ...GREEN, radius: 5, min_lat: 1, min_lng: 1, max_lat: 2 },
      { max_lng: 'is required together with min_lat, min_lng, max_lat' },
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
    ['a place that does not exist', { place_url: 'atlantis' }, { place_url: 'is no place of this service' }],
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
      { area: 'must be a GeoJSON Polygon or MultiPolygon, not a Feature' },
    ],
    [
      'a GeometryCollection',
      { area: { type: 'GeometryCollection', geometries: [square(GREEN)] } },
      { area: 'must be a GeoJSON Polygon or MultiPolygon, not a GeometryCollection' },
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
      'a bow on the meridian of Greenwich',
      { area: polygon(bow.map(([lng = 0, lat = 0]) => [lng / 10_000, 51 + lat / 10_000])) },
      { area: 'crosses itself, at longitude and latitude 5e-05 51.00005' },
    ],
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
  ])('returns 422 for %s and names the position', async (_, body, errors) => {
    const client = createWriteClient(app.as.user(await app.create.user()))

    const answer = await client.post('/watchers', body)

    expect([answer.status, answer.body]).toEqual([422, errors])
    expect(await queryRows(app.db, sql`SELECT w.id FROM watch_areas w`)).toEqual([])
  })

  it.each([
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
    const client = createWriteClient(app.as.user(await app.create.user()))

    expect((await client.post('/watchers', { area: polygon(...rings) })).status).toBe(201)
  })
})
