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
  /** Places whose rings were invalid, and what was wrong with them before they were repaired. */
  readonly repaired: readonly { readonly name: string; readonly reason: string }[]
}

/** Boundaries may be long: few are held at a time. */
const BATCH = { rows: 100, characters: 16_000_000 }

type Outcome = 'imported' | 'unchanged' | { readonly repaired: string } | { readonly fault: string }

/**
 * Imports places from GeoJSON, each in a transaction of its own. A place is known again by its source and `url_name`, so another
 * run only adds what is missing.
 * @throws ImportFailed when the file cannot be read, or not to its end; what was read before stays imported.
 */
export async function importPlaces(database: Database, options: ImportOptions): Promise<PlacesReport> {
  const { path, signal, onProgress } = options
  const source = options.source ?? defaultSourceName(path)
  const file = await openSource(path, options.format)
  if (file.format === 'csv') throw new ImportFailed(`Places come as GeoJSON, and ${path} is CSV.`)
  const reading = await file.read()
  const rejects = await openRejectedFiles(path, placeColumns, true)
  const columns = trackIgnoredColumns(placeColumns)
  const count = { rows: 0, imported: 0, unchanged: 0, rejected: 0 }
  const repeated = trackUrlNames(file.format)
  const repaired: { name: string; reason: string }[] = []

  const importBatch = async (rows: readonly SourceRow[]) => {
    const bad: RejectedRow[] = []
    for (const row of rows) {
      columns.see(Object.keys(row.values))
      const outcome = repeated.judge(row, await importRow(database, row, source))
      if (outcome === 'unchanged') count.unchanged++
      else if (outcome === 'imported') count.imported++
      else if ('fault' in outcome) bad.push({ ...row, fault: outcome.fault })
      else {
        count.imported++
        repaired.push({ name: String(row.values['name']), reason: outcome.repaired })
      }
    }
    await rejects.add(bad)
    count.rejected += bad.length
    count.rows += rows.length
    onProgress?.({ bytes: reading.bytesRead(), totalBytes: file.size, rows: count.rows })
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

/** Tells a place that bears the `url_name` of an earlier one of the file, though it is another, from one that is known. */
function trackUrlNames(format: SourceFormat) {
  // A few dozen bytes for each place of the file: places are counted in thousands.
  const firsts = new Map<unknown, { line: number; digest: string }>()
  return {
    judge({ line, values, feature }: SourceRow, outcome: Outcome): Outcome {
      if (typeof outcome === 'object' && 'fault' in outcome) return outcome
      const digest = hash('sha1', JSON.stringify([values, feature?.['geometry']]), 'base64')
      const first = firsts.get(values['url_name'])
      if (first === undefined) firsts.set(values['url_name'], { line, digest })
      if (first === undefined || first.digest === digest) return outcome
      const where = `${format === 'geojson' ? 'feature' : 'line'} ${first.line}`
      return { fault: `url_name "${String(values['url_name'])}" stands in ${where} already, with other values` }
    },
  }
}

async function importRow(database: Database, row: SourceRow, source: string): Promise<Outcome> {
  const place = row.fault === undefined ? toPlaceRow(row, source) : { faults: [row.fault] }
  if ('faults' in place) return { fault: place.faults.join('; ') }
  try {
    return await importPlace(database, place)
  } catch (error) {
    if (!isDataError(error) && !isGeometryError(error)) throw error
    return { fault: `the place cannot be taken: ${(error as Error).message}` }
  }
}

function importPlace(database: Database, place: PlaceRow): Promise<Outcome> {
  return database.bulk(async (session) => {
    await lockImports(session)
    const existing = await findExistingPlace(session, place)
    if (existing?.importKey === place.importKey) return 'unchanged'
    if (existing !== undefined) return { fault: `url_name "${place.urlName}" belongs to a place from another source` }
    const { isAdded, repaired } = await addPlace(session, place)
    if (!isAdded) return { fault: `the boundary encloses no area: ${repaired ?? 'it is empty'}` }
    return repaired === null ? 'imported' : { repaired }
  })
}

/** PostGIS reports what it cannot read, such as a ring that does not end where it began, as an internal error. */
const isGeometryError = (error: unknown): boolean => (error as { code?: unknown }).code === 'XX000'
