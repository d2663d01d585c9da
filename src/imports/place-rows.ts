import { validateUrlName } from '../places/rules.ts'
import { FieldReader } from './reading/field-reader.ts'
import { isObject, type SourceRow } from './reading/source-row.ts'

export const placeColumns = ['name', 'url_name', 'place_type', 'county', 'state', 'external_id', 'GEOID'] as const

/** Its boundary is GeoJSON in WGS84, whose rings may be invalid. */
export type PlaceRow = Exclude<ReturnType<typeof toPlaceRow>, { readonly errors: readonly string[] }>

const NAME_MAX = 200

export function toPlaceRow({ values, feature }: SourceRow, source: string) {
  const fields = new FieldReader(values)
  fields.require('name', 'url_name', 'place_type')
  const name = fields.text('name', NAME_MAX)
  const urlName = fields.text('url_name', NAME_MAX)
  const placeType = fields.text('place_type', NAME_MAX)
  const county = fields.text('county', NAME_MAX)
  const state = fields.text('state', NAME_MAX)
  // Files of the US Census have the column GEOID.
  const externalId = fields.text('external_id', NAME_MAX) ?? fields.text('GEOID', NAME_MAX)
  const errors = [
    ...fields.errors,
    urlName === null ? undefined : validateUrlName(urlName),
    validateBoundary(feature?.['geometry']),
  ].filter((error) => error !== undefined)
  if (name === null || urlName === null || placeType === null || errors.length > 0) return { errors }
  return {
    importKey: `${source}:${urlName}`,
    name,
    urlName,
    placeType,
    county,
    state,
    externalId,
    boundary: JSON.stringify(feature?.['geometry']),
  }
}

/** PostGIS checks whether the geometry is valid. */
function validateBoundary(geometry: unknown): string | undefined {
  if (!isObject(geometry)) return 'geometry is missing: it must be a Polygon or MultiPolygon'
  const { type, coordinates } = geometry
  if (type !== 'Polygon' && type !== 'MultiPolygon') return 'geometry must be a Polygon or MultiPolygon'
  const rings = type === 'Polygon' ? asArray(coordinates) : asArray(coordinates)?.flatMap((polygon) => asArray(polygon) ?? [null])
  if (!rings?.every((ring) => asArray(ring)?.every(isPosition))) {
    return 'coordinates must be rings of [longitude, latitude] from -180 to 180 and from -90 to 90 degrees'
  }
  // PostGIS of the embedded engine does not return for an unclosed ring.
  return rings.every(isClosed) ? undefined : 'each ring must have at least four positions, and the last must equal the first'
}

const asArray = (coordinates: unknown): unknown[] | undefined => (Array.isArray(coordinates) ? coordinates : undefined)

function isClosed(ring: unknown): boolean {
  const positions = ring as number[][]
  const [first, last] = [positions[0], positions.at(-1)]
  return positions.length >= 4 && first?.[0] === last?.[0] && first?.[1] === last?.[1]
}

function isPosition(position: unknown): boolean {
  if (!Array.isArray(position) || position.length < 2) return false
  const [lng, lat, ...others] = position as unknown[]
  const isWithin = (value: unknown, max: number) => typeof value === 'number' && Math.abs(value) <= max
  // PostGIS removes heights, but parses only numbers.
  return isWithin(lng, 180) && isWithin(lat, 90) && others.every((value) => typeof value === 'number')
}
