import { stringify } from 'csv-stringify/sync'

import type { Database } from '../database/database.ts'
import { openRepeatedIds, type RepeatedId } from './repeated-ids.ts'
import { eachBatch, type BatchSize } from './batches.ts'
import { refreshStatistics, listRenumbered, loadBatch, loadUnderNewIds, type NewId, type RejectedIssue } from './issue-queries.ts'
import { derivedIssueColumns, issueColumns, requiredIssueColumns, toIssueRow, withPoint, type IssueRow } from './issue-rows.ts'
import {
  lazyFile,
  openRejectedFiles,
  rejectedColumns,
  originalPath,
  openSource,
  defaultSourceName,
  type SourceFile,
} from './reading/source-file.ts'
import { trackIgnoredColumns, type ImportOptions, type Report } from './report.ts'
import { ImportFailed, type Reading, type RejectedRow, type SourceRow } from './reading/source-row.ts'

interface IssuesImportOptions extends ImportOptions {
  readonly batch?: BatchSize
  readonly now?: Date
}

export interface IssuesReport extends Report {
  /** Issues whose id was in use; `first` has the first few. */
  readonly newIds: { readonly count: number; readonly first: readonly NewId[] }
  /** Lists all renumbered issues; null if there are none. */
  readonly renumberedFile: string | null
}

/** Larger batches are not faster, and a crash loses one batch. */
const BATCH: BatchSize = { rows: 5_000, characters: 8_000_000 }
const FIRST_NEW_IDS = 5

/**
 * Imports in constant memory, with one transaction per batch. The source and the id identify an issue, so another run only adds
 * missing ones. Imports write no events, so they send no mails.
 * @throws ImportFailed if the file cannot be read to its end; rows before the error stay imported
 */
export async function importIssues(database: Database, options: IssuesImportOptions): Promise<IssuesReport> {
  const { path, signal, onProgress, batch = BATCH } = options
  const context = { source: options.source ?? defaultSourceName(path), now: (options.now ?? new Date()).toISOString() }
  const file = await openSource(path)
  const reading = await file.read()
  requireColumns(reading)
  const rejects = await openRejectedFiles(path, reading.columns ?? issueColumns, reading.columns === undefined)
  const repeatedIds = openRepeatedIds()
  const columns = trackIgnoredColumns([...issueColumns, ...derivedIssueColumns])
  const count = { rows: 0, imported: 0, unchanged: 0, rejected: 0, newIds: 0 }
  const renumbered = { count: 0, first: Infinity, last: 0 }
  const firstNewIds: NewId[] = []
  let renumberedFile: string | null

  const reject = async (rows: readonly RejectedRow[]) => {
    await rejects.add(rows)
    count.rejected += rows.length
  }

  const importFreeIds = async (read: readonly SourceRow[]) => {
    const rows = read.map(withPoint)
    if (reading.columns === undefined) for (const row of rows) columns.see(Object.keys(row.values))
    const { valid, invalid } = validateRows(rows, context)
    const loaded = await loadBatch(database, valid, context.now)
    const rejectedByDatabase = toRejectedRows(loaded.rejected, rows)
    await reject([...invalid, ...rejectedByDatabase].sort((one, other) => one.line - other.line))
    const rejectedLines = new Set(rejectedByDatabase.map(({ line }) => line))
    repeatedIds.add(valid.filter(({ line }) => !rejectedLines.has(line)))
    count.rows += rows.length
    count.imported += loaded.imported
    count.unchanged += loaded.unchanged
    for (const { line } of loaded.idConflicts) {
      renumbered.count++
      renumbered.first = Math.min(renumbered.first, line)
      renumbered.last = Math.max(renumbered.last, line)
    }
    onProgress?.({ bytes: reading.bytesRead(), totalBytes: file.size_bytes, rows: count.rows })
  }

  const importUnderNewIds = async (rows: readonly SourceRow[]) => {
    const between = rows.filter((row) => row.line >= renumbered.first && row.line <= renumbered.last).map(withPoint)
    const loaded = await loadUnderNewIds(database, validateRows(between, context).valid, context.now)
    await reject(toRejectedRows(loaded.rejected, between))
    count.imported += loaded.imported
    count.newIds += loaded.imported
    renumbered.count -= loaded.imported + loaded.rejected.length
    firstNewIds.push(...loaded.newIds.slice(0, FIRST_NEW_IDS - firstNewIds.length))
  }

  /** These rows were counted as unchanged, but differ from the earlier row with their id. */
  const rejectRepeated = async (rows: readonly SourceRow[]) => {
    const found = rows.flatMap((row) => {
      const repeated = repeatedIds.find(row.line)
      return repeated === undefined ? [] : [{ ...withPoint(row), error: repeatedIdError(repeated, file) }]
    })
    await reject(found)
    count.unchanged -= found.length
  }

  try {
    columns.see(rejectedColumns(path, reading.columns ?? []).original)
    await eachBatch(reading, batch, signal, importFreeIds)
    // A later row of the file may need the next free id, so new ids are assigned in a second pass.
    if (renumbered.count > 0 && !signal?.aborted) {
      await eachBatch(await file.read(), batch, signal, importUnderNewIds)
      // The remaining rows repeat an earlier row of the file.
      if (!signal?.aborted) count.unchanged += renumbered.count
    }
    if (!signal?.aborted && !repeatedIds.isEmpty()) await eachBatch(await file.read(), batch, signal, rejectRepeated)
    if (count.imported > 0) await refreshStatistics(database)
    const isNewOnly = count.unchanged === 0 && count.newIds === 0
    renumberedFile = isNewOnly ? null : await writeRenumbered(database, path, context.source)
  } finally {
    reading.close()
    repeatedIds.close()
    await rejects.close()
  }
  const { newIds, ...counts } = count
  return {
    ...counts,
    ...rejects.paths(),
    ignoredColumns: columns.ignored(),
    newIds: { count: newIds, first: firstNewIds },
    renumberedFile,
    stopped: signal?.aborted ?? false,
  }
}

const repeatedIdError = ({ id, first }: RepeatedId, { format }: SourceFile): string =>
  `id ${id} is already used in ${format === 'geojson' ? 'feature' : 'line'} ${first} with other values: give this row a different id`

function requireColumns({ columns }: Reading): void {
  const missing = columns === undefined ? [] : requiredIssueColumns.filter((name) => !columns.includes(name))
  if (missing.length === 0) return
  throw new ImportFailed(
    `The header of the file has no ${missing.join(', ')}. Required columns: ${requiredIssueColumns.join(', ')}. Optional columns: ` +
      `${issueColumns.filter((name) => !requiredIssueColumns.some((required) => required === name)).join(', ')}.`,
  )
}

function validateRows(
  rows: readonly SourceRow[],
  context: { source: string; now: string },
): { valid: IssueRow[]; invalid: RejectedRow[] } {
  const valid: IssueRow[] = []
  const invalid: RejectedRow[] = []
  for (const row of rows) {
    const issue = row.error === undefined ? toIssueRow(row, context) : { errors: [row.error] }
    if ('errors' in issue) invalid.push({ ...row, error: issue.errors.join('; ') })
    else valid.push(issue)
  }
  return { valid, invalid }
}

function toRejectedRows(rejected: readonly RejectedIssue[], rows: readonly SourceRow[]): RejectedRow[] {
  const reasons = new Map(rejected.map(({ row, reason }) => [row.line, reason]))
  return rows.flatMap((row) => {
    const error = reasons.get(row.line)
    return error === undefined ? [] : [{ ...row, error }]
  })
}

const ROWS_PER_QUERY = 10_000

/** Returns null if no issue is renumbered. The database has the ids even after a killed import. */
async function writeRenumbered(database: Database, path: string, source: string): Promise<string | null> {
  const table = lazyFile(`${originalPath(path)}.renumbered.csv`, stringify([['id', 'new_id']]))
  try {
    for (let after = 0; ;) {
      const rows = await listRenumbered(database, source, after, ROWS_PER_QUERY)
      const last = rows.at(-1)
      if (last === undefined) return table.path()
      await table.write(stringify(rows.map(({ id, newId }) => [id, newId])))
      after = last.newId
    }
  } finally {
    await table.close()
  }
}
