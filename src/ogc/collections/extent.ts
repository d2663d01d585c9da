import Type, { type Static } from 'typebox'

import { empty, nullable, Timestamp, type Queryable, type Sql, sql } from '../../database/database.ts'
import { withKnnFallback } from '../../geo/shapes.ts'
import { toTimestamp } from '../../http/schema/fields.ts'
import type { Collection } from './collection.ts'

/** The bounds of all items in degrees of WGS 84, and the first and last value of their time property. */
export interface Extent {
  readonly bbox: readonly [west: number, south: number, east: number, north: number]
  readonly interval: readonly [first: string, last: string] | undefined
}

const Coordinate = nullable(Type.Number())
const ExtentRow = Type.Object({
  west: Coordinate,
  south: Coordinate,
  east: Coordinate,
  north: Coordinate,
  first: nullable(Timestamp),
  last: nullable(Timestamp),
})

/**
 * Returns the extent of the items that anonymous callers may read; undefined without items. A spatial index finds the items that are nearest to
 * the edges of the world, and another index the first and last time, so that the cost does not grow with the table.
 */
export async function findExtent(
  reader: Queryable,
  { publicRows, geometryColumn, timeProperty, row }: Collection,
): Promise<Extent | undefined> {
  const nearest = (coordinate: Sql, edge: Sql, isSorted: boolean) =>
    sql`(SELECT ${coordinate} FROM ${publicRows} ORDER BY (${geometryColumn} <-> ${edge}) ${isSorted ? sql`+ 0` : empty} LIMIT 1)`
  const time = timeProperty === undefined ? undefined : row.queryables.get(timeProperty)?.sql
  // The planner uses no index for `min` and `max` of joined tables.
  const firstTime = (direction: Sql) =>
    time ? sql`(SELECT ${time} FROM ${publicRows} ORDER BY ${time} ${direction} LIMIT 1)` : sql`NULL::timestamptz`
  const read = (isSorted: boolean) =>
    reader.query(sql.type(ExtentRow)`
    SELECT
      ${nearest(sql`ST_XMin(${geometryColumn})`, sql`'SRID=4326;LINESTRING(-180 -90, -180 90)'::geometry`, isSorted)} AS west,
      ${nearest(sql`ST_YMin(${geometryColumn})`, sql`'SRID=4326;LINESTRING(-180 -90, 180 -90)'::geometry`, isSorted)} AS south,
      ${nearest(sql`ST_XMax(${geometryColumn})`, sql`'SRID=4326;LINESTRING(180 -90, 180 90)'::geometry`, isSorted)} AS east,
      ${nearest(sql`ST_YMax(${geometryColumn})`, sql`'SRID=4326;LINESTRING(-180 90, 180 90)'::geometry`, isSorted)} AS north,
      ${firstTime(sql`ASC`)} AS first,
      ${firstTime(sql`DESC`)} AS last`)
  const [found] = await withKnnFallback(
    () => read(false),
    () => read(true),
  )
  return found && toExtent(found)
}

function toExtent({ west, south, east, north, first, last }: Static<typeof ExtentRow>): Extent | undefined {
  if (west === null || south === null || east === null || north === null) return undefined
  return {
    bbox: [west, south, east, north],
    interval: first === null || last === null ? undefined : [toTimestamp(first), toTimestamp(last)],
  }
}
