import { parsePolygons, toMultiPolygonText } from '../../geo/polygon.ts'
import { inLanguage } from '../../locales/texts.ts'
import { validateCrs } from '../reading/coordinate-system.ts'
import { isObject } from '../reading/source-row.ts'
import type { DocumentErrors } from './document-errors.ts'

/** A MultiPolygon (GeoJSON, WGS84, without heights). */
export interface AreaPart {
  readonly path: string
  readonly geometry: string
}

/** Files have finer boundaries than requests. */
const LIMITS = { positions: 1_000_000, rings: 100_000 }

/** Reads a Polygon or MultiPolygon, a Feature, or a FeatureCollection. PostGIS later checks whether the rings cross each other. */
export function readArea(value: unknown, path: string, errors: DocumentErrors): AreaPart[] {
  const { type, crs, features, geometry } = isObject(value) ? value : {}
  const crsError = validateCrs(crs)
  if (crsError !== undefined) errors.add(path, `cannot be imported: ${crsError}`)
  if (type === 'Feature') return readArea(geometry, `${path}.geometry`, errors)
  if (type === 'FeatureCollection' && Array.isArray(features) && features.length > 0)
    return features.flatMap((feature: unknown, n) => readArea(feature, `${path}.features[${n}]`, errors))
  const parsed = parsePolygons(value, LIMITS)
  if ('polygons' in parsed) return [{ path, geometry: toMultiPolygonText(parsed.polygons) }]
  errors.add(path, inLanguage(parsed.error, 'en'))
  return []
}
