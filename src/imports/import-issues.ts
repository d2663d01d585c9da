import type { Database } from '../database/database.ts'
import { eachBatch, type BatchSize } from './batches.ts'
import { refreshStatistics } from './issue-queries.ts'
import { issueColumns, requiredIssueColumns, toIssueRow, withPoint, type IssueRow } from './issue-rows.ts'
import { loadBatch, loadUnderNewIds, type NewId, type RefusedRow } from './load-batch.ts'
import { openRejectedFiles, rejectedColumns } from './reading/rejected-file.ts'
import { writeRenumbered } from './renumbered-file.ts'
import { openRepeatedIds, type Repetition } from './repeated-ids.ts'
import { trackIgnoredColumns, type ImportOptions, type Report } from './report.ts'
import { openSource, defaultSourceName, type SourceFile } from './reading/source-file.ts'
import { ImportFailed, type Reading, type RejectedRow, type SourceRow } from './reading/source-row.ts'

export interface IssuesImportOptions extends ImportOptions {
  readonly batch?: BatchSize
  /** The time of the import. */
  readonly now?: Date
}

export interface IssuesReport extends Report {
  /** Issues whose id another one had; `first` holds the first few. */
  readonly newIds: { readonly count: number; readonly first: readonly NewId[] }
  /** Path of the file with the old and new ids of all renumbered issues of the source; null if there are none. */
  readonly renumberedFile: string | null
}

/** Large enough that the cost of a transaction does not show, small enough that little is lost to a crash. */
const BATCH: BatchSize = { rows: 5_000, characters: 8_000_000 }
const FIRST_NEW_IDS = 5

/**
 * Imports issues from CSV, GeoJSON or newline-delimited GeoJSON in constant memory, in batches that are each there as a whole or
 * not at all. An issue is known again by its source and id, so another run only adds what is missing. It makes no events, so
 * nobody gets mail.
 * @throws ImportFailed when the file cannot be read, or not to its end; what was read before stays imported.
 */
export async function importIssues(database: Database, options: IssuesImportOptions): Promise<IssuesReport> {
  const { path, signal, onProgress, batch = BATCH } = options
  const context = { source: options.source ?? defaultSourceName(path), now: (options.now ?? new Date()).toISOString() }
  const file = await openSource(path, options.format)
  const reading = await file.read()
  requireColumns(reading)
  const rejects = await openRejectedFiles(path, reading.columns ?? issueColumns, reading.columns === undefined)
  const repeatedIds = await openRepeatedIds()
  const columns = trackIgnoredColumns(issueColumns)
  const count = { rows: 0, imported: 0, unchanged: 0, rejected: 0, newIds: 0 }
  /** Rows whose ids are taken, and where in the file they are. */
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
    const refused = toRejectedRows(loaded.refused, rows)
    await reject([...invalid, ...refused].sort((one, other) => one.line - other.line))
    const refusedLines = new Set(refused.map(({ line }) => line))
    await repeatedIds.add(valid.filter(({ line }) => !refusedLines.has(line)))
    count.rows += rows.length
    count.imported += loaded.imported
    count.unchanged += loaded.unchanged
    for (const { line } of loaded.taken) {
      renumbered.count++
      renumbered.first = Math.min(renumbered.first, line)
      renumbered.last = Math.max(renumbered.last, line)
    }
    onProgress?.({ bytes: reading.bytesRead(), totalBytes: file.size, rows: count.rows })
  }

  const importUnderNewIds = async (rows: readonly SourceRow[]) => {
    const between = rows.filter((row) => row.line >= renumbered.first && row.line <= renumbered.last).map(withPoint)
    const loaded = await loadUnderNewIds(database, validateRows(between, context).valid, context.now)
    await reject(toRejectedRows(loaded.refused, between))
    count.imported += loaded.imported
    count.newIds += loaded.imported
    renumbered.count -= loaded.imported + loaded.refused.length
    firstNewIds.push(...loaded.newIds.slice(0, FIRST_NEW_IDS - firstNewIds.length))
  }

  /** Rows that were passed over as known, though only their id is. */
  const rejectRepeated = async (file: SourceFile) => {
    for await (const repeated of repeatedIds.find()) {
      await eachBatch(await file.read(), batch, signal, async (rows) => {
        const found = rows.flatMap((row) => {
          const known = repeated.get(row.line)
          return known === undefined ? [] : [{ ...withPoint(row), fault: repetitionError(known, file) }]
        })
        await reject(found)
        count.unchanged -= found.length
      })
    }
  }

  try {
    columns.see(rejectedColumns(path, reading.columns ?? []).original)
    await eachBatch(reading, batch, signal, importFreeIds)
    // In a second reading, since a new id that was given earlier might be the id of a later row.
    if (renumbered.count > 0 && !signal?.aborted) {
      await eachBatch(await file.read(), batch, signal, importUnderNewIds)
      // The remaining rows are duplicates in the file.
      if (!signal?.aborted) count.unchanged += renumbered.count
    }
    if (!signal?.aborted) await rejectRepeated(file)
    if (count.imported > 0) await refreshStatistics(database)
    // If all ids were free, no row can be a duplicate.
    const isNewOnly = count.unchanged === 0 && count.newIds === 0
    renumberedFile = isNewOnly ? null : await writeRenumbered(database, path, context.source)
  } finally {
    reading.close()
    await Promise.all([rejects.close(), repeatedIds.close()])
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

const repetitionError = ({ id, first }: Repetition, { format }: SourceFile): string =>
  `id ${id} stands in ${format === 'geojson' ? 'feature' : 'line'} ${first} already, with other values: give this row an id of its own`

function requireColumns({ columns }: Reading): void {
  const missing = columns === undefined ? [] : requiredIssueColumns.filter((name) => !columns.includes(name))
  if (missing.length === 0) return
  throw new ImportFailed(
    `The first line of the file does not name ${missing.join(', ')}. It must name columns of an issue, separated by commas: ` +
      `${requiredIssueColumns.join(', ')}, and of the others those that there are: ` +
      issueColumns.filter((name) => !requiredIssueColumns.some((required) => required === name)).join(', '),
  )
}

function validateRows(
  rows: readonly SourceRow[],
  context: { source: string; now: string },
): { valid: IssueRow[]; invalid: RejectedRow[] } {
  const valid: IssueRow[] = []
  const invalid: RejectedRow[] = []
  for (const row of rows) {
    const issue = row.fault === undefined ? toIssueRow(row, context) : { faults: [row.fault] }
    if ('faults' in issue) invalid.push({ ...row, fault: issue.faults.join('; ') })
    else valid.push(issue)
  }
  return { valid, invalid }
}

function toRejectedRows(refused: readonly RefusedRow[], rows: readonly SourceRow[]): RejectedRow[] {
  const reasons = new Map(refused.map(({ row, reason }) => [row.line, reason]))
  return rows.flatMap((row) => {
    const fault = reasons.get(row.line)
    return fault === undefined ? [] : [{ ...row, fault }]
  })
}
