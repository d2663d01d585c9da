import { hash } from 'node:crypto'

import type { Database } from '../database/database.ts'
import { eachBatch } from './batches.ts'
import { lockImports } from './issue-queries.ts'
import { isDataError } from './load-batch.ts'
import { addPlace, findExistingPlace } from './place-queries.ts'
import { placeColumns, toPlaceRow, type PlaceRow } from './place-rows.ts'
import { openRejectedFiles } from './reading/rejected-file.ts'
import { trackIgnoredColumns, type ImportOptions, type Report } from './report.ts'
import { openSource, defaultSourceName } from './reading/source-file.ts'
import type { SourceFormat } from './reading/source-format.ts'
import { ImportFailed, type RejectedRow, type SourceRow } from './reading/source-row.ts'

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
  const file = await openSource(path, options.format)
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
