import type { Geometry, Position } from 'geojson'

import { problems } from '../../errors/problems.ts'
import { text, type Text } from '../../errors/texts/text.ts'
import type { AreaLookup } from '../../geo/area-query.ts'
import type { Box } from '../../geo/box.ts'
import type { Point } from '../../geo/point.ts'
import { parseWatchedArea } from '../../watch-areas/area-input.ts'
import { toBox } from '../crs/box.ts'
import type { Crs } from '../crs/crs.ts'
import type { Value } from './ast.ts'
import { FilterError } from './error.ts'

/** A geometry of a filter in longitude and latitude. */
export type FilterGeometry =
  | { readonly kind: 'box'; readonly box: Box }
  | { readonly kind: 'polygon'; readonly geojson: string; readonly centre: Point; readonly bounds: Box }
  | { readonly kind: 'point'; readonly point: Point }
  | { readonly kind: 'line'; readonly geojson: string }
  | { readonly kind: 'anyOf'; readonly parts: readonly FilterGeometry[] }

type GeometryValue = Extract<Value, { kind: 'geometry' }>

/** Polygons must be valid, as areas of lists. @throws FilterError */
export async function resolveGeometry({ geometry, at }: GeometryValue, crs: Crs, areas: AreaLookup): Promise<FilterGeometry> {
  const fail = (reason: Text) => new FilterError(reason, at)
  if (geometry.type === 'BBox') {
    const box = toBox(geometry.bbox, crs)
    if (!box) throw fail(text('must_be', { allowed: text('bbox_numbers') }))
    return { kind: 'box', box }
  }
  return resolve(geometry)

  async function resolve(part: Geometry): Promise<FilterGeometry> {
    if (part.type === 'GeometryCollection') {
      if (!Array.isArray(part.geometries)) throw fail(text('expected_only', { expected: text('filter_geometry') }))
      return anyOf(part.geometries.map(resolve))
    }
    const { type } = part
    const coordinates = toLngLat(part.coordinates, LEVELS[type] ?? -1)
    switch (type) {
      case 'Point':
        return toPoint(coordinates)
      case 'MultiPoint':
        return anyOf((coordinates as Position[]).map(async (position) => toPoint(position)))
      case 'LineString':
        return toLine(coordinates as Position[])
      case 'MultiLineString':
        return anyOf((coordinates as Position[][]).map(async (line) => toLine(line)))
      case 'Polygon':
      case 'MultiPolygon':
        return toPolygon(type, coordinates as Nested[])
    }
  }

  function toLngLat(node: unknown, level: number): Nested {
    if (!Array.isArray(node) || level < 0) throw fail(text('expected_only', { expected: text('filter_geometry') }))
    if (level > 0) return node.map((item) => toLngLat(item, level - 1))
    if (node.length < 2 || node.length > 3 || !node.every((number) => Number.isFinite(number)))
      throw fail(text('expected_only', { expected: text('filter_position') }))
    const [lng = NaN, lat = NaN] = crs.toLngLat(node as Position)
    if (!(Math.abs(lng) <= 180 && Math.abs(lat) <= 90)) throw fail(text('expected_only', { expected: text('filter_position') }))
    return [lng, lat]
  }

  function toPoint(coordinates: Nested): FilterGeometry {
    const [lng = 0, lat = 0] = coordinates as Position
    return { kind: 'point', point: { lng, lat } }
  }

  function toLine(coordinates: readonly Position[]): FilterGeometry {
    if (coordinates.length < 2) throw fail(text('expected_only', { expected: text('filter_geometry') }))
    return { kind: 'line', geojson: JSON.stringify({ type: 'LineString', coordinates }) }
  }

  async function toPolygon(type: 'Polygon' | 'MultiPolygon', coordinates: Nested[]): Promise<FilterGeometry> {
    const parsed = await parseWatchedArea({ area: { type, coordinates } }, areas)
    if ('errors' in parsed) throw fail([parsed.errors['area'] ?? text('filter_geometry')].flat()[0] as Text)
    if (parsed.watched.kind !== 'polygon') throw problems.internal()
    const rings = (type === 'Polygon' ? coordinates : coordinates.flat()) as Position[][]
    return { ...parsed.watched, bounds: boundsOf(rings.flat()) }
  }

  async function anyOf(parts: readonly Promise<FilterGeometry>[]): Promise<FilterGeometry> {
    if (parts.length === 0) throw fail(text('expected_only', { expected: text('filter_geometry') }))
    return { kind: 'anyOf', parts: await Promise.all(parts) }
  }
}

type Nested = Position | Nested[]

/** The number of lists around a position. */
const LEVELS: Readonly<Record<string, number>> = {
  Point: 0,
  MultiPoint: 1,
  LineString: 1,
  MultiLineString: 2,
  Polygon: 2,
  MultiPolygon: 3,
}

function boundsOf(positions: readonly Position[]): Box {
  const bounds = { west: 180, south: 90, east: -180, north: -90 }
  for (const [lng = 0, lat = 0] of positions) {
    bounds.west = Math.min(bounds.west, lng)
    bounds.east = Math.max(bounds.east, lng)
    bounds.south = Math.min(bounds.south, lat)
    bounds.north = Math.max(bounds.north, lat)
  }
  return bounds
}
