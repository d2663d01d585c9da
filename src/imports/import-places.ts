import { hash } from 'node:crypto'
import Type, { type Static } from 'typebox'

import { nullable, type BulkSession, sql, type Database } from '../database/database.ts'
import { toPolygonGeography } from '../places/queries.ts'
import { validateUrlName } from '../places/rules.ts'
import { eachBatch } from './batches.ts'
import { lockImports, isDataError } from './issue-queries.ts'
import { FieldReader } from './reading/field-reader.ts'
import { openRejectedFiles, openSource, defaultSourceName, type SourceFormat } from './reading/source-file.ts'
import { isObject, type SourceRow, ImportFailed, type RejectedRow } from './reading/source-row.ts'
import { trackIgnoredColumns, type ImportOptions, type Report } from './report.ts'

export const placeColumns = ['name', 'url_name', 'place_type', 'county', 'state', 'external_id', 'GEOID'] as const

/** Its boundary is GeoJSON in WGS84, whose rings may be invalid. */
type PlaceRow = Exclude<ReturnType<typeof toPlaceRow>, { readonly errors: readonly string[] }>

const NAME_MAX = 200

function toPlaceRow({ values, feature }: SourceRow, source: string) {
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

const AddedPlace = Type.Object({
  /** False if the repaired boundary has no area. */
  isAdded: Type.Boolean(),
  repairReason: nullable(Type.String()),
})

const ExistingPlace = Type.Object({ importKey: nullable(Type.String()) })

const findExistingPlace = (
  session: BulkSession,
  { importKey, urlName }: PlaceRow,
): Promise<Static<typeof ExistingPlace> | undefined> =>
  session.query(sql.first(ExistingPlace)`
    SELECT p.import_key AS "importKey"
    FROM places p
    WHERE p.import_key = ${importKey} OR p.url_name = ${urlName}
    ORDER BY p.import_key IS NOT DISTINCT FROM ${importKey} DESC, p.id
    LIMIT 1`)

/**
 * Repairs an invalid boundary. The centre is inside the boundary, unlike a centroid. The area is computed on the spheroid, because
 * PostGIS 3.3 and 3.6 differ by half a percent on the sphere.
 */
async function addPlace(session: BulkSession, place: PlaceRow): Promise<Static<typeof AddedPlace>> {
  const [added] = await session.query(sql.type(AddedPlace)`
    WITH input AS MATERIALIZED (
      SELECT ST_Force2D(ST_SetSRID(ST_GeomFromGeoJSON(${place.boundary}), 4326)) AS shape),
    validated AS MATERIALIZED (
      SELECT input.shape, CASE WHEN NOT ST_IsValid(input.shape) THEN ST_IsValidReason(input.shape) END AS error
      FROM input),
    repaired AS MATERIALIZED (
      SELECT validated.error,
        ST_Multi(CASE WHEN validated.error IS NULL THEN validated.shape
          ELSE ST_CollectionExtract(ST_MakeValid(validated.shape), 3) END) AS boundary
      FROM validated),
    added AS (
      INSERT INTO places (import_key, name, url_name, place_type, county, state, external_id, boundary, center_lng, center_lat, area_m2)
      SELECT ${place.importKey}, ${place.name}, ${place.urlName}, ${place.placeType}, ${place.county}, ${place.state}, ${place.externalId}, repaired.boundary,
        ST_X(ST_PointOnSurface(repaired.boundary)), ST_Y(ST_PointOnSurface(repaired.boundary)), ST_Area(${toPolygonGeography(sql`repaired.boundary`)})
      FROM repaired
      WHERE NOT ST_IsEmpty(repaired.boundary)
      RETURNING id)
    SELECT EXISTS (SELECT FROM added) AS "isAdded", repaired.error AS "repairReason"
    FROM repaired`)
  if (added === undefined) throw new Error('Adding a place returned no row.')
  return added
}

export interface PlacesReport extends Report {
  readonly repaired: readonly { readonly name: string; readonly reason: string }[]
}

const BATCH = { rows: 100, characters: 16_000_000 }

type Outcome = 'imported' | 'unchanged' | { readonly repairReason: string } | { readonly error: string }

/**
 * Imports each place in its own transaction. The source and the `url_name` identify a place, so another run only adds missing ones.
 * @throws ImportFailed if the file cannot be read to its end; places before the error stay imported
 */
export async function importPlaces(database: Database, options: ImportOptions): Promise<PlacesReport> {
  const { path, signal, onProgress } = options
  const source = options.source ?? defaultSourceName(path)
  const file = await openSource(path)
  if (file.format === 'csv') throw new ImportFailed(`Places must be GeoJSON, but ${path} is CSV.`)
  const reading = await file.read()
  const rejects = await openRejectedFiles(path, placeColumns, true)
  const columns = trackIgnoredColumns(placeColumns)
  const count = { rows: 0, imported: 0, unchanged: 0, rejected: 0 }
  const urlNames = trackUrlNames(file.format)
  const repaired: { name: string; reason: string }[] = []

  const importBatch = async (rows: readonly SourceRow[]) => {
    const rejected: RejectedRow[] = []
    for (const row of rows) {
      columns.see(Object.keys(row.values))
      const outcome = urlNames.check(row, await importRow(database, row, source))
      if (outcome === 'unchanged') count.unchanged++
      else if (outcome === 'imported') count.imported++
      else if ('error' in outcome) rejected.push({ ...row, error: outcome.error })
      else {
        count.imported++
        repaired.push({ name: String(row.values['name']), reason: outcome.repairReason })
      }
    }
    await rejects.add(rejected)
    count.rejected += rejected.length
    count.rows += rows.length
    onProgress?.({ bytes: reading.bytesRead(), totalBytes: file.size_bytes, rows: count.rows })
  }

  try {
    await eachBatch(reading, BATCH, signal, importBatch)
  } finally {
    reading.close()
    await rejects.close()
  }
  return {
    ...count,
    ...rejects.paths(),
    ignoredColumns: columns.ignored(),
    repaired,
    stopped: signal?.aborted ?? false,
  }
}

function trackUrlNames(format: SourceFormat) {
  const firsts = new Map<unknown, { line: number; digest: string }>()
  return {
    check({ line, values, feature }: SourceRow, outcome: Outcome): Outcome {
      if (typeof outcome === 'object' && 'error' in outcome) return outcome
      const digest = hash('sha1', JSON.stringify([values, feature?.['geometry']]), 'base64')
      const first = firsts.get(values['url_name'])
      if (first === undefined) firsts.set(values['url_name'], { line, digest })
      if (first === undefined || first.digest === digest) return outcome
      const where = `${format === 'geojson' ? 'feature' : 'line'} ${first.line}`
      return { error: `url_name "${String(values['url_name'])}" is already used in ${where} with other values` }
    },
  }
}

async function importRow(database: Database, row: SourceRow, source: string): Promise<Outcome> {
  const place = row.error === undefined ? toPlaceRow(row, source) : { errors: [row.error] }
  if ('errors' in place) return { error: place.errors.join('; ') }
  try {
    return await importPlace(database, place)
  } catch (error) {
    if (!isDataError(error) && !isGeometryError(error)) throw error
    return { error: `the place cannot be imported: ${(error as Error).message}` }
  }
}

function importPlace(database: Database, place: PlaceRow): Promise<Outcome> {
  return database.bulk(async (session) => {
    await lockImports(session)
    const existing = await findExistingPlace(session, place)
    if (existing?.importKey === place.importKey) return 'unchanged'
    if (existing !== undefined) return { error: `url_name "${place.urlName}" belongs to a place of another source` }
    const { isAdded, repairReason } = await addPlace(session, place)
    if (!isAdded) return { error: `the boundary encloses no area: ${repairReason ?? 'it is empty'}` }
    return repairReason === null ? 'imported' : { repairReason }
  })
}

/** PostGIS reports invalid input, such as an unclosed ring, as an internal error. */
const isGeometryError = (error: unknown): boolean => (error as { code?: unknown }).code === 'XX000'
