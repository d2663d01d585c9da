import type { Geometry, Position } from 'geojson'
import { text, type Text } from '../../locales/texts.ts'
import type { AreaLookup } from '../../geo/area-query.ts'
import type { Box } from '../../geo/box.ts'
import { parsePolygonArea, type PolygonArea } from '../../geo/polygon.ts'
import type { Point } from '../../geo/point.ts'
import { toBox } from '../crs/box.ts'
import type { Crs } from '../crs/crs.ts'
import type { Value } from './ast.ts'
import { FilterError } from './error.ts'

/** A geometry of a filter in longitude and latitude. */
export type FilterGeometry =
  | { readonly kind: 'box'; readonly box: Box }
  | PolygonArea
  | { readonly kind: 'point'; readonly point: Point }
  /** Lines, or several points. */
  | { readonly kind: 'simple'; readonly geojson: string }
  | { readonly kind: 'anyOf'; readonly parts: readonly FilterGeometry[] }

export type GeometryValue = Extract<Value, { kind: 'geometry' }>
type Polygons = Extract<Geometry, { type: 'Polygon' | 'MultiPolygon' }>
type Nested = Position | Nested[]

const LINE_POSITIONS_MIN = 2

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
      const parts: FilterGeometry[] = []
      // Each polygon asks the database, so one comes after the other.
      for (const member of part.geometries) parts.push(await resolve(member))
      return { kind: 'anyOf', parts }
    }
    const converted = { ...part, coordinates: toLngLat(part.coordinates) } as typeof part
    switch (converted.type) {
      case 'Point': {
        const [lng = 0, lat = 0] = converted.coordinates
        return { kind: 'point', point: { lng, lat } }
      }
      case 'Polygon':
      case 'MultiPolygon':
        return toPolygon(converted)
      case 'LineString':
        return toSimple(converted, [converted.coordinates])
      case 'MultiLineString':
        return toSimple(converted, converted.coordinates)
      case 'MultiPoint':
        return toSimple(converted, [])
    }
  }

  function toLngLat(node: Nested): Nested {
    if (!isPosition(node)) return node.map(toLngLat)
    const [lng = NaN, lat = NaN] = crs.toLngLat(node)
    if (!(Math.abs(lng) <= 180 && Math.abs(lat) <= 90)) throw fail(text('expected_only', { expected: text('filter_position') }))
    return [lng, lat]
  }

  function toSimple(part: Geometry, lines: readonly Position[][]): FilterGeometry {
    if (lines.some((line) => line.length < LINE_POSITIONS_MIN))
      throw fail(text('expected_only', { expected: text('filter_geometry') }))
    return { kind: 'simple', geojson: JSON.stringify(part) }
  }

  async function toPolygon(area: Polygons): Promise<FilterGeometry> {
    const parsed = await parsePolygonArea(area, areas)
    if ('error' in parsed) throw fail(parsed.error)
    return parsed
  }
}

const isPosition = (node: Nested): node is Position => typeof node[0] === 'number'
