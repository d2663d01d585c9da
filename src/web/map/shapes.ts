import type { MultiPolygon, Position } from 'geojson'

import { type Box, boundingBox } from '../../geo/box.ts'
import type { OwnRow } from '../../watch-areas/own-queries.ts'
import { boxToShape, rowToBox } from '../../watch-areas/present.ts'
import type { Shape } from '../../watch-areas/schema.ts'

/** A tenth of a metre. */
const DECIMALS = 6

/** Returns the shape of a watch area. */
export function ownShape(row: OwnRow): MultiPolygon {
  const box = rowToBox(row)
  // A table constraint guarantees that every other kind has a shape.
  return toMultiPolygon((box ? boxToShape(box) : row.shape) as Shape)
}

export function toMultiPolygon({ type, coordinates }: Shape): MultiPolygon {
  const polygons = (type === 'Polygon' ? [coordinates] : coordinates) as Position[][][]
  return { type: 'MultiPolygon', coordinates: polygons.map((rings) => rings.map((ring) => ring.map(round))) }
}

const round = (position: Position): Position => position.map((degrees) => Number(degrees.toFixed(DECIMALS)))

/** Returns the smallest box of shapes, or undefined without any. `west` is greater than `east` if it crosses the antimeridian. */
export function boxOf(shapes: readonly MultiPolygon[]): Box | undefined {
  const boxes = shapes
    .flatMap(({ coordinates }) => coordinates)
    .filter(([ring = []]) => ring.length > 0)
    .map((coordinates) => boundingBox({ type: 'Polygon', coordinates }))
  if (boxes.length === 0) return undefined
  const { south, north } = boundingBox({ type: 'GeometryCollection', geometries: [...shapes] })
  return { ...spanOf(boxes.map(({ west, east }) => [west, east])), south, north }
}

/** Returns the smallest range with all ranges of longitudes: the world without the widest gap between them. */
function spanOf(ranges: readonly (readonly [west: number, east: number])[]): Pick<Box, 'west' | 'east'> {
  const sorted = ranges.toSorted(([a], [b]) => a - b)
  const [first = [0, 0] as const] = sorted
  let east = first[1]
  let inner = { width: 0, west: first[0], east: first[1] }
  for (const [nextWest, nextEast] of sorted) {
    if (nextWest - east > inner.width) inner = { width: nextWest - east, west: nextWest, east }
    east = Math.max(east, nextEast)
  }
  const outer = { width: first[0] + 360 - east, west: first[0], east }
  return inner.width > outer.width ? { west: inner.west, east: inner.east } : { west: outer.west, east: outer.east }
}

/** Returns the box that a map shows of a watch area. */
export const ownBox = (row: OwnRow): Box => rowToBox(row) ?? (boxOf([ownShape(row)]) as Box)
