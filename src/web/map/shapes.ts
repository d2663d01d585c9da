import type { MultiPolygon, Position } from 'geojson'

import type { Box } from '../../geo/box.ts'
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

/** Returns the box of shapes, or undefined without any. Shapes on both sides of the antimeridian have a box around the world. */
export function boxOf(shapes: readonly MultiPolygon[]): Box | undefined {
  const positions = shapes.flatMap(({ coordinates }) => coordinates.flat(2))
  if (positions.length === 0) return undefined
  const extreme = (axis: 0 | 1, choose: (a: number, b: number) => number) =>
    positions.map((position) => position[axis] ?? 0).reduce((a, b) => choose(a, b))
  const [west, south] = [extreme(0, Math.min), extreme(1, Math.min)]
  return { west, south, east: extreme(0, Math.max), north: extreme(1, Math.max) }
}

/** Returns the box that a map shows of a watch area. */
export const ownBox = (row: OwnRow): Box => rowToBox(row) ?? (boxOf([ownShape(row)]) as Box)
