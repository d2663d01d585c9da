import Type from 'typebox'

import { type Queryable, sql } from '../database/database.ts'
import type { Area } from '../geo/area.ts'
import { longitudeRanges, mercatorLatitudeMax } from '../geo/box.ts'
import { circumscribedRing } from '../geo/circle.ts'

export type Bounds = readonly [west: number, south: number, east: number, north: number]

export const WORLD: Bounds = [-180, -mercatorLatitudeMax, 180, mercatorLatitudeMax]

const BoundsRow = Type.Object({ west: Type.Number(), south: Type.Number(), east: Type.Number(), north: Type.Number() })

/** Returns the bounds of an area in degrees, without a crossing of the antimeridian, as TileJSON wants them. */
export async function findBounds(reader: Queryable, area: Area): Promise<Bounds> {
  switch (area.kind) {
    case 'everywhere':
    case 'watchArea':
      return WORLD
    case 'box': {
      const { west, south, east, north } = area.box
      return longitudeRanges(area.box).length > 1 ? [-180, south, 180, north] : [west, south, east, north]
    }
    case 'circle': {
      const ring = circumscribedRing(area.centre, area.radius_m)
      const [lngs, lats] = [ring.map(([lng]) => lng), ring.map(([, lat]) => lat)]
      const [west, east] = [Math.min(...lngs), Math.max(...lngs)]
      const crosses = west < -180 || east > 180
      return [crosses ? -180 : west, Math.min(...lats), crosses ? 180 : east, Math.max(...lats)]
    }
    case 'place':
      return findExtent(reader, sql`(SELECT places.boundary FROM places WHERE places.id = ${area.placeId})`)
    case 'polygon':
      return findExtent(reader, sql`ST_GeomFromGeoJSON(${area.geojson}::text)`)
  }
}

async function findExtent(reader: Queryable, shape: ReturnType<typeof sql>): Promise<Bounds> {
  const [row] = await reader.query(
    BoundsRow,
    sql`SELECT ST_XMin(shape) AS west, ST_YMin(shape) AS south, ST_XMax(shape) AS east, ST_YMax(shape) AS north FROM (SELECT ${shape} AS shape) input WHERE shape IS NOT NULL`,
  )
  return row ? [row.west, row.south, row.east, row.north] : WORLD
}
