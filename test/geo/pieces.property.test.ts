import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { type Queryable, sql } from '../../src/database/database.ts'
import { isInPiece, isInStoredArea, dividePolygon } from '../../src/geo/pieces.ts'
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

/** Corners, points on edges to the precision of a double, corners and sides of all boxes, and points anywhere. */
const tested = (geojson: string, seed: number) => sql`
  WITH area AS MATERIALIZED (SELECT ST_SetSRID(ST_GeomFromGeoJSON(${geojson}), 4326) AS whole, setseed(${seed}::float8) AS seeded),
  pieces AS MATERIALIZED (SELECT * FROM ${dividePolygon(geojson)}),
  corners AS MATERIALIZED (
    SELECT d.path, ST_X(d.geom) AS lng, ST_Y(d.geom) AS lat, lag(ST_X(d.geom)) OVER w AS from_lng, lag(ST_Y(d.geom)) OVER w AS from_lat
    FROM area, ST_DumpPoints(area.whole) d WINDOW w AS (PARTITION BY d.path[1], d.path[2] ORDER BY d.path[3])),
  points (lng, lat) AS MATERIALIZED (
    SELECT c.lng, c.lat FROM corners c
    UNION ALL
    SELECT c.from_lng + t.part * (c.lng - c.from_lng), c.from_lat + t.part * (c.lat - c.from_lat)
    FROM corners c CROSS JOIN (VALUES (0.5), (0.25), (random()), (random())) t (part) WHERE c.from_lng IS NOT NULL
    UNION ALL
    SELECT p.west, p.south FROM pieces p
    UNION ALL
    SELECT p.east, p.south + random() * (p.north - p.south) FROM pieces p
    UNION ALL
    -- The points at which an edge crosses the side of a box.
    SELECT p.west, c.from_lat + (p.west - c.from_lng) * (c.lat - c.from_lat) / (c.lng - c.from_lng)
    FROM pieces p JOIN corners c ON p.west BETWEEN least(c.lng, c.from_lng) AND greatest(c.lng, c.from_lng) AND c.lng <> c.from_lng
    UNION ALL
    SELECT -105.11 + random() * 0.22, 39.59 + random() * 0.22 FROM generate_series(1, 300))`

const point = { point: sql`ST_SetSRID(ST_MakePoint(q.lng, q.lat), 4326)`, lng: sql`q.lng`, lat: sql`q.lat` }

interface Compared {
  readonly points: number
  readonly inside: number
  readonly wrong: number
  readonly twice: number
}

async function compare(db: Queryable, geojson: string, seed: number): Promise<Compared | undefined> {
  const [compared] = await queryRows<Compared>(
    db,
    sql`
    ${tested(geojson, seed)}
    SELECT count(*)::integer AS points, count(*) FILTER (WHERE t.whole)::integer AS inside,
      count(*) FILTER (WHERE t.whole <> (t.pieces > 0))::integer AS wrong, count(*) FILTER (WHERE t.pieces > 1)::integer AS twice
    FROM (
      SELECT ST_Covers(area.whole, ${point.point}) AS whole, (SELECT count(*) FROM pieces piece WHERE ${isInPiece(point)}) AS pieces
      FROM area CROSS JOIN points q) t`,
  )
  return compared
}

describe('pieces of an area', () => {
  const app = useApp({ keepRows: true })

  it(
    'give each point the result of ST_Covers and one piece for a polygon that the query divides',
    { timeout: 120_000 },
    async () => {
      const isSame = async (rings: readonly (readonly Position[])[], seed: number) => {
        const geojson = JSON.stringify({ type: 'Polygon', coordinates: rings })

        const compared = await compare(app.db, geojson, seed)

        expect(compared).toMatchObject({ wrong: 0, twice: 0 })
      }
      await fc.assert(fc.asyncProperty(anyArea, fc.double({ min: -1, max: 1, noNaN: true }), isSame), runs(12))
    },
  )

  it(
    'give each point the result of ST_Covers and one piece for stored areas, even if SQL changes them',
    { timeout: 120_000 },
    async () => {
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
        WHERE ST_Covers(area.whole, ${point.point}) <> ${isInStoredArea('place', sql`${place_id}::integer`, point)}
          OR ST_Covers(area.whole, ${point.point}) <> ${isInStoredArea('watchArea', sql`(SELECT w.id FROM watch_areas w)`, point)}`,
        )

        expect(wrong).toEqual([])
      }
      await fc.assert(fc.asyncProperty(anyArea, fc.double({ min: -1, max: 1, noNaN: true }), isSame), runs(8))
    },
  )
})

const mutable = (rings: readonly (readonly Position[])[]) => rings.map((ring) => ring.map((position) => [...position]))
