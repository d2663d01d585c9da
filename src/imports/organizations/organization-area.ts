import { validateCrs } from '../reading/coordinate-system.ts'
import type { DocumentReader } from './document-reader.ts'
import { isObject } from '../reading/source-row.ts'

/** A MultiPolygon (GeoJSON, WGS84, without heights). */
export interface AreaPart {
  readonly path: string
  readonly geometry: string
}

type Position = readonly [lng: number, lat: number]

const PARTS_MAX = 10_000
const POSITIONS_MAX = 1_000_000

/** PostGIS later checks whether the rings cross each other. */
export function readArea(value: unknown, path: string, reader: DocumentReader): AreaPart[] {
  if (value === undefined || value === null) {
    reader.addError(path, 'is missing: it must be a GeoJSON Polygon, MultiPolygon, Feature or FeatureCollection')
    return []
  }
  const parts = readParts(value, path, reader)
  const count = parts.reduce((sum, { polygons }) => sum + polygons.flat(2).length, 0)
  if (count > POSITIONS_MAX) reader.addError(path, `must have at most ${POSITIONS_MAX} positions, but has ${count}`)
  return parts.map(({ path: partPath, polygons }) => ({
    path: partPath,
    geometry: JSON.stringify({ type: 'MultiPolygon', coordinates: polygons }),
  }))
}

interface Part {
  readonly path: string
  readonly polygons: Position[][][]
}

function readParts(value: unknown, path: string, reader: DocumentReader): Part[] {
  const area = isObject(value) ? value : {}
  const crsError = validateCrs(area['crs'])
  if (crsError !== undefined) reader.addError(path, `cannot be imported: ${crsError}`)
  switch (area['type']) {
    case 'Polygon':
      return [{ path, polygons: [readRings(area['coordinates'], `${path}.coordinates`, reader)] }]
    case 'MultiPolygon': {
      const polygons = requireNonEmptyList(area['coordinates'], `${path}.coordinates`, 'polygons', reader)
      return [{ path, polygons: polygons.map((rings, n) => readRings(rings, `${path}.coordinates[${n}]`, reader)) }]
    }
    case 'Feature':
      return readGeometry(area['geometry'], `${path}.geometry`, reader)
    case 'FeatureCollection':
      return requireNonEmptyList(area['features'], `${path}.features`, 'features', reader).flatMap((feature, n) => {
        const featurePath = `${path}.features[${n}]`
        if (isObject(feature) && feature['type'] === 'Feature') return readParts(feature, featurePath, reader)
        reader.addError(featurePath, 'must be a Feature')
        return []
      })
    default:
      reader.addError(path, 'must be a GeoJSON Polygon, MultiPolygon, Feature or FeatureCollection')
      return []
  }
}

function readGeometry(value: unknown, path: string, reader: DocumentReader): Part[] {
  if (isObject(value) && (value['type'] === 'Polygon' || value['type'] === 'MultiPolygon')) return readParts(value, path, reader)
  reader.addError(path, 'must be a Polygon or MultiPolygon')
  return []
}

function requireNonEmptyList(value: unknown, path: string, what: string, reader: DocumentReader): readonly unknown[] {
  const list = reader.list(value ?? [], path, PARTS_MAX) ?? []
  if (Array.isArray(value ?? []) && ((value ?? []) as unknown[]).length === 0)
    reader.addError(path, `must be a list of one or more ${what}`)
  return list
}

const readRings = (value: unknown, path: string, reader: DocumentReader): Position[][] =>
  requireNonEmptyList(value, path, 'rings', reader).map((ring, n) => readRing(ring, `${path}[${n}]`, reader))

/** PostGIS of the embedded engine does not return for unclosed rings. */
function readRing(value: unknown, path: string, reader: DocumentReader): Position[] {
  const positions: readonly unknown[] = Array.isArray(value) ? value : []
  const ring: Position[] = []
  for (const [n, position] of positions.entries()) {
    if (!isPosition(position)) {
      reader.addError(`${path}[${n}]`, 'must be [longitude, latitude] from -180 to 180 and from -90 to 90 degrees')
      return []
    }
    ring.push([position[0], position[1]])
  }
  const [first, last] = [ring[0], ring.at(-1)]
  if (ring.length < 4 || first?.[0] !== last?.[0] || first?.[1] !== last?.[1]) {
    reader.addError(path, 'must be a ring of at least four positions, and the last must equal the first')
  } else if (ring.some((position, n) => n > 0 && crossesAntimeridian(ring[n - 1] ?? position, position))) {
    reader.addError(path, 'crosses the antimeridian: split the area there (RFC 7946, section 3.1.9)')
  }
  return ring
}

/** Only an edge from -180 to 180 degrees spans the whole world on purpose. */
const crossesAntimeridian = ([from]: Position, [to]: Position): boolean =>
  Math.abs(from - to) > 180 && !(Math.abs(from) === 180 && Math.abs(to) === 180)

function isPosition(value: unknown): value is [number, number] {
  if (!Array.isArray(value) || value.length < 2) return false
  const [lng, lat] = value as unknown[]
  return typeof lng === 'number' && Math.abs(lng) <= 180 && typeof lat === 'number' && Math.abs(lat) <= 90
}
