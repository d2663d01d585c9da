import { crsFault } from '../reading/coordinate-system.ts'
import type { Notes } from './notes.ts'
import { isObject } from '../reading/source-row.ts'

/** A Polygon or MultiPolygon (GeoJSON, WGS84, without heights) of an area, and where it stands in the file. */
export interface AreaPart {
  readonly path: string
  readonly geometry: string
}

type Position = readonly [lng: number, lat: number]

const PARTS_MAX = 10_000
const POSITIONS_MAX = 1_000_000

/** Reads an area; how its rings lie to each other is PostGIS's to say. Nothing is left where anything of it is wrong. */
export function readArea(value: unknown, path: string, notes: Notes): AreaPart[] {
  if (value === undefined || value === null) {
    notes.fault(path, 'is missing: it must be a GeoJSON Polygon, MultiPolygon, Feature or FeatureCollection')
    return []
  }
  const parts = readParts(value, path, notes)
  const count = parts.reduce((sum, { polygons }) => sum + polygons.flat(2).length, 0)
  if (count > POSITIONS_MAX) notes.fault(path, `must have at most ${POSITIONS_MAX} positions, and has ${count}`)
  return parts.map(({ path: at, polygons }) => ({
    path: at,
    geometry: JSON.stringify({ type: 'MultiPolygon', coordinates: polygons }),
  }))
}

interface Part {
  readonly path: string
  readonly polygons: Position[][][]
}

function readParts(value: unknown, path: string, notes: Notes): Part[] {
  const given = isObject(value) ? value : {}
  const crs = crsFault(given['crs'])
  if (crs !== undefined) notes.fault(path, `cannot be taken: ${crs}`)
  switch (given['type']) {
    case 'Polygon':
      return [{ path, polygons: [readRings(given['coordinates'], `${path}.coordinates`, notes)] }]
    case 'MultiPolygon': {
      const polygons = requireNonEmptyList(given['coordinates'], `${path}.coordinates`, 'polygons', notes)
      return [{ path, polygons: polygons.map((rings, n) => readRings(rings, `${path}.coordinates[${n}]`, notes)) }]
    }
    case 'Feature':
      return readGeometry(given['geometry'], `${path}.geometry`, notes)
    case 'FeatureCollection':
      return requireNonEmptyList(given['features'], `${path}.features`, 'features', notes).flatMap((feature, n) => {
        const at = `${path}.features[${n}]`
        if (isObject(feature) && feature['type'] === 'Feature') return readParts(feature, at, notes)
        notes.fault(at, 'must be a Feature')
        return []
      })
    default:
      notes.fault(path, 'must be a GeoJSON Polygon, MultiPolygon, Feature or FeatureCollection')
      return []
  }
}

function readGeometry(value: unknown, path: string, notes: Notes): Part[] {
  if (isObject(value) && (value['type'] === 'Polygon' || value['type'] === 'MultiPolygon')) return readParts(value, path, notes)
  notes.fault(path, 'must be a Polygon or MultiPolygon')
  return []
}

function requireNonEmptyList(value: unknown, path: string, what: string, notes: Notes): readonly unknown[] {
  const list = notes.list(value ?? [], path, PARTS_MAX) ?? []
  if (Array.isArray(value ?? []) && ((value ?? []) as unknown[]).length === 0)
    notes.fault(path, `must be a list of one or more ${what}`)
  return list
}

const readRings = (value: unknown, path: string, notes: Notes): Position[][] =>
  requireNonEmptyList(value, path, 'rings', notes).map((ring, n) => readRing(ring, `${path}[${n}]`, notes))

/** PostGIS on the embedded engine gives no answer at all where a ring that is not closed is looked at, so that is seen here. */
function readRing(value: unknown, path: string, notes: Notes): Position[] {
  const given: readonly unknown[] = Array.isArray(value) ? value : []
  const ring: Position[] = []
  for (const [n, position] of given.entries()) {
    if (!isPosition(position)) {
      notes.fault(`${path}[${n}]`, 'must be [longitude, latitude] from -180 to 180 and from -90 to 90 degrees')
      return []
    }
    ring.push([position[0], position[1]])
  }
  const [first, last] = [ring[0], ring.at(-1)]
  if (ring.length < 4 || first?.[0] !== last?.[0] || first?.[1] !== last?.[1]) {
    notes.fault(path, 'must be a ring of four or more positions that ends where it began')
  } else if (ring.some((position, n) => n > 0 && crossesAntimeridian(ring[n - 1] ?? position, position))) {
    notes.fault(path, 'crosses the antimeridian: cut the area in two there, as RFC 7946 (3.1.9) says')
  }
  return ring
}

/** Straight in degrees, an edge from 179 to -179 would go around the world; only along its whole breadth is that meant. */
const crossesAntimeridian = ([from]: Position, [to]: Position): boolean =>
  Math.abs(from - to) > 180 && !(Math.abs(from) === 180 && Math.abs(to) === 180)

function isPosition(value: unknown): value is [number, number] {
  if (!Array.isArray(value) || value.length < 2) return false
  const [lng, lat] = value as unknown[]
  return typeof lng === 'number' && Math.abs(lng) <= 180 && typeof lat === 'number' && Math.abs(lat) <= 90
}
