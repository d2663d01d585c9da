import Type from 'typebox'

import { type Queryable, sql } from '../database/database.ts'
import type { Area } from '../geo/area.ts'
import { type Box, mercatorLatitudeMax } from '../geo/box.ts'
import { circleBox } from '../geo/circle.ts'
import { polygonBounds } from '../geo/polygon.ts'

export type Bounds = readonly [west: number, south: number, east: number, north: number]

const WORLD: Box = { west: -180, south: -90, east: 180, north: 90 }

/** Returns the bounds of an area in degrees as TileJSON wants them: within the map, and without a crossing of the antimeridian. */
export async function findBounds(reader: Queryable, area: Area): Promise<Bounds> {
  const { west, south, east, north } = await findBox(reader, area)
  const clamp = (latitude: number) => Math.min(Math.max(latitude, -mercatorLatitudeMax), mercatorLatitudeMax)
  const crosses = west > east
  return [crosses ? -180 : west, clamp(south), crosses ? 180 : east, clamp(north)]
}

async function findBox(reader: Queryable, area: Area): Promise<Box> {
  switch (area.kind) {
    case 'everywhere':
    case 'watchArea':
      return WORLD
    case 'box':
      return area.box
    case 'circle':
      return circleBox(area.centre, area.radius_m)
    case 'place':
      return findPlaceBox(reader, area.placeId)
    case 'polygon':
      return polygonBounds(area.geojson)
  }
}

const BoxRow = Type.Object({ west: Type.Number(), south: Type.Number(), east: Type.Number(), north: Type.Number() })

async function findPlaceBox(reader: Queryable, id: number): Promise<Box> {
  const [box] = await reader.query(sql.type(
    BoxRow,
  )`SELECT ST_XMin(p.boundary) AS west, ST_YMin(p.boundary) AS south, ST_XMax(p.boundary) AS east, ST_YMax(p.boundary) AS north
    FROM places p WHERE p.id = ${id}`)
  return box ?? WORLD
}
