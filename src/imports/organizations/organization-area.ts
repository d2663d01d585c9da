import { validateCrs } from '../reading/coordinate-system.ts'
import type { DocumentErrors } from './document-errors.ts'
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
export function readArea(value: unknown, path: string, errors: DocumentErrors): AreaPart[] {
  const parts = readParts(value, path, errors)
  const count = parts.reduce((sum, { polygons }) => sum + polygons.flat(2).length, 0)
  if (count > POSITIONS_MAX) errors.add(path, `must have at most ${POSITIONS_MAX} positions, but has ${count}`)
  return parts.map(({ path: partPath, polygons }) => ({
    path: partPath,
    geometry: JSON.stringify({ type: 'MultiPolygon', coordinates: polygons }),
  }))
}

interface Part {
  readonly path: string
  readonly polygons: Position[][][]
}

function readParts(value: unknown, path: string, errors: DocumentErrors): Part[] {
  const area = isObject(value) ? value : {}
  const crsError = validateCrs(area['crs'])
  if (crsError !== undefined) errors.add(path, `cannot be imported: ${crsError}`)
  switch (area['type']) {
    case 'Polygon':
      return [{ path, polygons: [readRings(area['coordinates'], `${path}.coordinates`, errors)] }]
    case 'MultiPolygon': {
      const polygons = requireNonEmptyList(area['coordinates'], `${path}.coordinates`, 'polygons', errors)
      return [{ path, polygons: polygons.map((rings, n) => readRings(rings, `${path}.coordinates[${n}]`, errors)) }]
    }
    case 'Feature':
      return readGeometry(area['geometry'], `${path}.geometry`, errors)
    case 'FeatureCollection':
      return requireNonEmptyList(area['features'], `${path}.features`, 'features', errors).flatMap((feature, n) => {
        const featurePath = `${path}.features[${n}]`
        if (isObject(feature) && feature['type'] === 'Feature') return readParts(feature, featurePath, errors)
        errors.add(featurePath, 'must be a Feature')
        return []
      })
    default:
      errors.add(path, 'must be a GeoJSON Polygon, MultiPolygon, Feature or FeatureCollection')
      return []
  }
}

function readGeometry(value: unknown, path: string, errors: DocumentErrors): Part[] {
  if (isObject(value) && (value['type'] === 'Polygon' || value['type'] === 'MultiPolygon')) return readParts(value, path, errors)
  errors.add(path, 'must be a Polygon or MultiPolygon')
  return []
}

function requireNonEmptyList(value: unknown, path: string, what: string, errors: DocumentErrors): readonly unknown[] {
  if (Array.isArray(value) && value.length > 0 && value.length <= PARTS_MAX) return value as unknown[]
  errors.add(path, `must be a list of one to ${PARTS_MAX} ${what}`)
  return []
}

const readRings = (value: unknown, path: string, errors: DocumentErrors): Position[][] =>
  requireNonEmptyList(value, path, 'rings', errors).map((ring, n) => readRing(ring, `${path}[${n}]`, errors))

/** PostGIS of the embedded engine does not return for unclosed rings. */
function readRing(value: unknown, path: string, errors: DocumentErrors): Position[] {
  const positions: readonly unknown[] = Array.isArray(value) ? value : []
  const ring: Position[] = []
  for (const [n, position] of positions.entries()) {
    if (!isPosition(position)) {
      errors.add(`${path}[${n}]`, 'must be [longitude, latitude] from -180 to 180 and from -90 to 90 degrees')
      return []
    }
    ring.push([position[0], position[1]])
  }
  const [first, last] = [ring[0], ring.at(-1)]
  if (ring.length < 4 || first?.[0] !== last?.[0] || first?.[1] !== last?.[1]) {
    errors.add(path, 'must be a ring of at least four positions, and the last must equal the first')
  } else if (ring.some((position, n) => n > 0 && crossesAntimeridian(ring[n - 1] ?? position, position))) {
    errors.add(path, 'crosses the antimeridian: split the area there (RFC 7946, section 3.1.9)')
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
