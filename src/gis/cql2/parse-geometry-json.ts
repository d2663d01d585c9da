import type { Geometry } from 'geojson'
import { text } from '../../locales/texts.ts'
import { FilterError, type SizeLimit } from './error.ts'
import { COLLECTION, coordinateLevels, isSimpleType } from './geometry-types.ts'

type Coordinates = readonly number[] | readonly Coordinates[]

const fail = (at: string) => new FilterError(text('expected_only', { expected: text('filter_geometry') }), at)

/** Parses a GeoJSON geometry (RFC 7946). Lists are not empty; values may be out of range. @throws FilterError with the JSON Pointer */
export function parseGeometryJson(node: unknown, at: string, limit: SizeLimit): Geometry {
  return limit(at, () => {
    const { type, coordinates, geometries } = (node ?? {}) as Readonly<Record<string, unknown>>
    if (type === COLLECTION) {
      const path = `${at}/geometries`
      return { type, geometries: requireList(geometries, path).map((part, n) => parseGeometryJson(part, `${path}/${n}`, limit)) }
    }
    if (!isSimpleType(type)) throw fail(at)
    return { type, coordinates: parseCoordinates(coordinates, coordinateLevels[type], `${at}/coordinates`) } as Geometry
  })
}

function parseCoordinates(node: unknown, level: number, at: string): Coordinates {
  const list = requireList(node, at)
  if (level > 0) return list.map((item, n) => parseCoordinates(item, level - 1, `${at}/${n}`))
  if ((list.length !== 2 && list.length !== 3) || !list.every((number) => typeof number === 'number'))
    throw new FilterError(text('expected_only', { expected: text('filter_position') }), at)
  return list
}

function requireList(node: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(node) || node.length === 0) throw fail(at)
  return node
}
