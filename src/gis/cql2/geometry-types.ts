import type { Geometry } from 'geojson'

/** The number of lists around a position, by the type of the geometry. */
export const coordinateLevels = {
  Point: 0,
  LineString: 1,
  Polygon: 2,
  MultiPoint: 1,
  MultiLineString: 2,
  MultiPolygon: 3,
} as const
export type SimpleType = keyof typeof coordinateLevels

export const isSimpleType = (type: unknown): type is SimpleType => typeof type === 'string' && Object.hasOwn(coordinateLevels, type)

export const COLLECTION = 'GeometryCollection' satisfies Geometry['type']
