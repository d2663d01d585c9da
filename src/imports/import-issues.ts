import type { Database } from '../database/database.ts'
import { eachBatch, type BatchSize } from './batches.ts'
import { refreshStatistics } from './issue-queries.ts'
import { issueColumns, requiredIssueColumns, toIssueRow, withPoint, type IssueRow } from './issue-rows.ts'
import { loadBatch, loadUnderNewIds, type NewId, type Refused } from './load-batch.ts'
import { openRejected } from './rejected-file.ts'
import { columnWatch, type ImportOptions, type Report } from './report.ts'
import { openSource, sourceNameOf } from './source-file.ts'
import { ImportFailed, type Reading, type RejectedRow, type SourceRow } from './source-row.ts'

export interface IssuesImportOptions extends ImportOptions {
  readonly batch?: BatchSize
  /** The time of the import. */
  readonly now?: Date
}

export interface IssuesReport extends Report {
  /** Issues whose id another one had; `first` holds the first few. */
  readonly newIds: { readonly count: number; readonly first: readonly NewId[] }
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
  const context = { source: options.source ?? sourceNameOf(path), now: (options.now ?? new Date()).toISOString() }
  const file = await openSource(path, options.format)
  const reading = await file.read()
  requireColumns(reading)
  const rejects = await openRejected(path, reading.columns ?? issueColumns)
  const columns = columnWatch(issueColumns)
  const count = { rows: 0, imported: 0, unchanged: 0, rejected: 0, newIds: 0 }
  /** Rows whose ids are taken, and where in the file they are. */
  const waiting = { count: 0, first: Infinity, last: 0 }
  const firstNewIds: NewId[] = []

  const reject = async (rows: readonly RejectedRow[]) => {
    await rejects.add(rows)
    count.rejected += rows.length
  }

  const importFree = async (read: readonly SourceRow[]) => {
    const rows = read.map(withPoint)
    if (reading.columns === undefined) for (const row of rows) columns.see(Object.keys(row.values))
    const { good, bad } = sortRows(rows, context)
    const loaded = await loadBatch(database, good, context.now)
    await reject([...bad, ...refusedOf(loaded.refused, rows)].sort((one, other) => one.line - other.line))
    count.rows += rows.length
    count.imported += loaded.imported
    count.unchanged += loaded.unchanged
    for (const { line } of loaded.taken) {
      waiting.count++
      waiting.first = Math.min(waiting.first, line)
      waiting.last = Math.max(waiting.last, line)
    }
    onProgress?.({ bytes: reading.bytesRead(), totalBytes: file.size, rows: count.rows })
  }

  const importTaken = async (rows: readonly SourceRow[]) => {
    const between = rows.filter((row) => row.line >= waiting.first && row.line <= waiting.last).map(withPoint)
    const loaded = await loadUnderNewIds(database, sortRows(between, context).good, context.now)
    await reject(refusedOf(loaded.refused, between))
    count.imported += loaded.imported
    count.newIds += loaded.imported
    waiting.count -= loaded.imported + loaded.refused.length
    firstNewIds.push(...loaded.newIds.slice(0, FIRST_NEW_IDS - firstNewIds.length))
  }

  try {
    columns.see(reading.columns ?? [])
    await eachBatch(reading, batch, signal, importFree)
    // In a second reading, since a new id that was given earlier might be the id of a later row.
    if (waiting.count > 0 && !signal?.aborted) {
      await eachBatch(await file.read(), batch, signal, importTaken)
      // Those that are left stand twice in the file.
      if (!signal?.aborted) count.unchanged += waiting.count
    }
    if (count.imported > 0) await refreshStatistics(database)
  } finally {
    reading.close()
    await rejects.close()
  }
  const { newIds, ...counts } = count
  return {
    ...counts,
    rejectedFile: rejects.path() ?? null,
    ignoredColumns: columns.ignored(),
    newIds: { count: newIds, first: firstNewIds },
    stopped: signal?.aborted ?? false,
  }
}

function requireColumns({ columns }: Reading): void {
  const missing = columns === undefined ? [] : requiredIssueColumns.filter((name) => !columns.includes(name))
  if (missing.length === 0) return
  throw new ImportFailed(
    `The first line of the file does not name ${missing.join(', ')}. It must name columns of an issue, separated by commas: ` +
      `${requiredIssueColumns.join(', ')}, and of the others those that there are: ` +
      issueColumns.filter((name) => !requiredIssueColumns.some((required) => required === name)).join(', '),
  )
}

function sortRows(rows: readonly SourceRow[], context: { source: string; now: string }): { good: IssueRow[]; bad: RejectedRow[] } {
  const good: IssueRow[] = []
  const bad: RejectedRow[] = []
  for (const row of rows) {
    const issue = row.fault === undefined ? toIssueRow(row, context) : { faults: [row.fault] }
    if ('faults' in issue) bad.push({ ...row, fault: issue.faults.join('; ') })
    else good.push(issue)
  }
  return { good, bad }
}

function refusedOf(refused: readonly Refused[], rows: readonly SourceRow[]): RejectedRow[] {
  const reasons = new Map(refused.map(({ row, reason }) => [row.line, reason]))
  return rows.flatMap((row) => {
    const fault = reasons.get(row.line)
    return fault === undefined ? [] : [{ ...row, fault }]
  })
}
