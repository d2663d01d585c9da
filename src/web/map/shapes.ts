import type { MultiPolygon, Position } from 'geojson'

import type { Queryable } from '../../database/database.ts'
import { orNotFound } from '../../errors/problems.ts'
import { type Box, boundingBox, type Point } from '../../geo/shapes.ts'
import { formatDistance } from '../../html/format.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import type { Texts } from '../../locales/texts.ts'
import { boxToShape, rowToBox } from '../../watch-areas/present.ts'
import { type OwnRow, findOwnArea } from '../../watch-areas/queries.ts'
import type { Shape } from '../../watch-areas/schema.ts'
import type { Bounds } from './browser/config.ts'

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

/** Returns the smallest box of at least one point; it may cross the antimeridian, too. */
export function boxOfPoints(points: readonly Point[]): Box {
  const lats = points.map(({ lat }) => lat)
  return { ...spanOf(points.map(({ lng }) => [lng, lng])), south: Math.min(...lats), north: Math.max(...lats) }
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

const WORLD: Box = { west: -170, south: -60, east: 170, north: 75 }

/** A box over the antimeridian ends east of 180, because MapLibre has no other way to show it. */
export function toBounds(box: Box = WORLD): Bounds {
  const { west, south, east, north } = box
  return [west, south, west > east ? east + 360 : east, north]
}

/** @throws Problem 404 if the viewer has no such watch area */
export async function readOwnArea(db: Queryable, id: number, viewer: Viewer | null): Promise<OwnRow> {
  return orNotFound(viewer ? await findOwnArea(db, { id, user_id: viewer.id }) : undefined, 'the_watch_area')
}

/** Returns the name of a watch area, or a description. */
export const watchAreaTitle = (row: OwnRow, texts: Texts): string => row.name ?? describeKind(row, texts)

export function describeKind({ kind, place_name, ...row }: OwnRow, texts: Texts): string {
  switch (kind) {
    case 'place':
      return place_name ?? texts('areaTitle.place')
    case 'circle':
      return texts('areaTitle.aroundPoint', { distance: formatRadius(row, texts) })
    case 'box':
      return texts('areaTitle.box')
    case 'polygon':
      return texts('areaTitle.polygon')
  }
}

/** A table constraint guarantees the numbers of a circle. */
function formatRadius({ radius_m, lng, lat }: Pick<OwnRow, 'radius_m' | 'lng' | 'lat'>, texts: Texts): string {
  const centre = lng === null || lat === null ? undefined : { lng, lat }
  return formatDistance(radius_m ?? 0, texts, centre)
}
