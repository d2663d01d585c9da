import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { dividePolygon, isInStoredArea } from '../../src/geo/area.ts'
import { useApp } from '../helpers/use-app.ts'
import { comb, diagonalComb, holesOfCombs, spiral, star } from './many-edges.ts'
import { runs } from '../helpers/long.ts'
import { queryRows } from '../helpers/query-rows.ts'

type Position = readonly [lng: number, lat: number]

/** Rounds to a billionth of a degree: for edges shorter than 1e-12 degrees PostGIS returns different results with and without its cache. */
const offset = fc.integer({ min: -100_000_000, max: 100_000_000 }).map((billionths) => billionths / 1e9)
const corner = fc.tuple(
  offset.map((lng) => lng - 105),
  offset.map((lat) => lat + 39.7),
)

/** Corners in the order of their directions from a centre form a ring that does not cross itself. */
const anyRing = fc
  .uniqueArray(corner, { minLength: 30, maxLength: 200, selector: ([lng, lat]) => Math.atan2(lat - 39.7, lng + 105) })
  .map((corners) =>
    corners.toSorted(([aLng, aLat], [bLng, bLat]) => Math.atan2(aLat - 39.7, aLng + 105) - Math.atan2(bLat - 39.7, bLng + 105)),
  )
  .map((corners): Position[][] => [[...corners, ...corners.slice(0, 1)]])

const anyArea = fc.oneof(
  anyRing,
  fc.integer({ min: 20, max: 150 }).map(comb),
  fc
    .tuple(fc.integer({ min: 20, max: 150 }), fc.double({ min: 1, max: 89, noNaN: true }))
    .map(([teeth, degrees]) => diagonalComb(teeth, degrees)),
  fc.integer({ min: 20, max: 150 }).map(star),
  fc.tuple(fc.integer({ min: 3, max: 20 }), fc.integer({ min: 5, max: 30 })).map(([turns, corners]) => spiral(turns, corners)),
  fc.tuple(fc.integer({ min: 2, max: 8 }), fc.integer({ min: 4, max: 20 })).map(([holes, teeth]) => holesOfCombs(holes, teeth)),
)

/**
 * Corners, points of edges and points anywhere, rounded to seven decimals. Points on a slanted edge in full precision are left out: their distance is
 * within rounding of 0, so parts and the whole may differ (docs/adr/0003).
 */
const tested = (geojson: string, seed: number) => sql`
  WITH area AS MATERIALIZED (SELECT ST_SetSRID(ST_GeomFromGeoJSON(${geojson}), 4326) AS whole, setseed(${seed}::float8) AS seeded),
  corners AS MATERIALIZED (
    SELECT ST_X(d.geom) AS lng, ST_Y(d.geom) AS lat, lag(ST_X(d.geom)) OVER w AS from_lng, lag(ST_Y(d.geom)) OVER w AS from_lat
    FROM area, ST_DumpPoints(area.whole) d WINDOW w AS (PARTITION BY d.path[1], d.path[2] ORDER BY d.path[3])),
  points (lng, lat) AS MATERIALIZED (
    SELECT c.lng, c.lat FROM corners c
    UNION ALL
    SELECT round((c.from_lng + t.part * (c.lng - c.from_lng))::numeric, 7)::float8, round((c.from_lat + t.part * (c.lat - c.from_lat))::numeric, 7)::float8
    FROM corners c CROSS JOIN (VALUES (0.5), (0.25), (random()), (random())) t (part) WHERE c.from_lng IS NOT NULL
    UNION ALL
    SELECT round((-105.11 + random() * 0.22)::numeric, 7)::float8, round((39.59 + random() * 0.22)::numeric, 7)::float8 FROM generate_series(1, 300))`

const point = sql`ST_SetSRID(ST_MakePoint(q.lng, q.lat), 4326)`

describe('parts of an area', () => {
  const app = useApp({ keepRows: true })

  it('give each point the result of ST_Covers for a polygon of a query and for stored areas', { timeout: 400_000 }, async () => {
    const watcher = await app.create.user()
    const { id: place_id } = await app.create.place({ boundary: { type: 'Polygon', coordinates: mutable(comb(20)) } })
    await app.create.watchArea({ of: watcher, area: { type: 'Polygon', coordinates: mutable(comb(20)) } })
    const isSame = async (rings: readonly (readonly Position[])[], seed: number) => {
      const geojson = JSON.stringify({ type: 'Polygon', coordinates: rings })
      const shape = sql`ST_Multi(ST_SetSRID(ST_GeomFromGeoJSON(${geojson}), 4326))`
      await app.db.execute(sql`UPDATE places SET boundary = ${shape} WHERE places.id = ${place_id}`)
      await app.db.execute(sql`UPDATE watch_areas SET area = ${shape}`)

      const wrong = await queryRows(
        app.db,
        sql`
        ${tested(geojson, seed)}
        SELECT q.lng, q.lat FROM area CROSS JOIN points q
        WHERE ST_Covers(area.whole, ${point}) <> ANY (ARRAY[
          EXISTS (SELECT FROM ${dividePolygon(geojson)} WHERE ST_Covers(part.shape, ${point})),
          ${isInStoredArea('place', sql`${place_id}::integer`, point)},
          ${isInStoredArea('watchArea', sql`(SELECT w.id FROM watch_areas w)`, point)}])`,
      )

      expect(wrong).toEqual([])
    }
    await fc.assert(fc.asyncProperty(anyArea, fc.double({ min: -1, max: 1, noNaN: true }), isSame), runs(12))
  })
})

const mutable = (rings: readonly (readonly Position[])[]) => rings.map((ring) => ring.map((position) => [...position]))
