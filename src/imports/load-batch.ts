import { setTimeout as wait } from 'node:timers/promises'

import type { Database } from '../database/database.ts'
import {
  addPlaceholderUsers,
  copyIssues,
  findExisting,
  nextIds,
  reserveIds,
  lockImports,
  type ExistingData,
} from './issue-queries.ts'
import type { IssueRow } from './issue-rows.ts'

export interface NewId {
  readonly line: number
  readonly id: number
  readonly newId: number
}

export interface RejectedIssue {
  readonly row: IssueRow
  readonly reason: string
}

export interface LoadResult {
  readonly imported: number
  readonly unchanged: number
  readonly newIds: readonly NewId[]
  /** Issues that get new ids after all other rows are imported. */
  readonly idConflicts: readonly IssueRow[]
  readonly rejected: readonly RejectedIssue[]
}

const emptyResult: LoadResult = { imported: 0, unchanged: 0, newIds: [], idConflicts: [], rejected: [] }

const ATTEMPTS = 5
const WAIT_MS = 100

export async function loadBatch(database: Database, rows: readonly IssueRow[], now: string): Promise<LoadResult> {
  if (rows.length === 0) return emptyResult
  await reserveIds(database, 'issues', maxId(rows.map((row) => row.id)))
  await reserveIds(database, 'users', maxId(userIds(rows)))
  return loadWithBisection(rows, (part) =>
    database.bulk(async (session) => {
      await lockImports(session)
      const known = await findExisting(session, part)
      const loaded = classifyRows(part, known)
      await addPlaceholderUsers(session, userIds(loaded.free))
      await copyIssues(session, loaded.free, known, now)
      return { ...emptyResult, ...loaded, imported: loaded.free.length }
    }),
  )
}

/** Skips rows whose ids are not in use by other issues. */
export async function loadUnderNewIds(database: Database, rows: readonly IssueRow[], now: string): Promise<LoadResult> {
  if (rows.length === 0) return emptyResult
  return loadWithBisection(rows, (part) =>
    database.bulk(async (session) => {
      await lockImports(session)
      const known = await findExisting(session, part)
      const { idConflicts } = classifyRows(part, known)
      const ids = await nextIds(session, idConflicts.length)
      const renumbered = idConflicts.map((row, position) => ({ ...row, id: ids[position] ?? row.id }))
      await addPlaceholderUsers(session, userIds(renumbered))
      await copyIssues(session, renumbered, known, now)
      const newIds = idConflicts.map((row, position) => ({ line: row.line, id: row.id, newId: ids[position] ?? row.id }))
      return { ...emptyResult, imported: idConflicts.length, newIds }
    }),
  )
}

function classifyRows(rows: readonly IssueRow[], known: ExistingData) {
  const seen = new Set<string>()
  const free: IssueRow[] = []
  const idConflicts: IssueRow[] = []
  const rejected: RejectedIssue[] = []
  let unchanged = 0
  for (const row of rows) {
    if (known.importKeys.has(row.import_key) || seen.has(row.import_key)) {
      unchanged++
    } else if (row.request_type_id !== null && !known.requestTypes.has(row.request_type_id)) {
      rejected.push({ row, reason: unknownType(row.request_type_id) })
    } else {
      seen.add(row.import_key)
      if (known.ids.has(row.id)) idConflicts.push(row)
      else free.push(row)
    }
  }
  return { free, idConflicts, rejected, unchanged }
}

const unknownType = (id: number) =>
  `request_type_id ${id} does not exist: import the organisations with their request types first (npm run import -- organizations FILE, see docs/import.md)`

/** Splits the batch in halves to isolate rows that only the database rejects. */
async function loadWithBisection(
  rows: readonly IssueRow[],
  load: (rows: readonly IssueRow[]) => Promise<LoadResult>,
): Promise<LoadResult> {
  try {
    return await retryOnConflictOrViolation(() => load(rows))
  } catch (error) {
    if (!isDataError(error)) throw error
    const [only] = rows
    if (only !== undefined && rows.length === 1)
      return { ...emptyResult, rejected: [{ row: only, reason: (error as Error).message }] }
    const middle = Math.ceil(rows.length / 2)
    return mergeResults(await loadWithBisection(rows.slice(0, middle), load), await loadWithBisection(rows.slice(middle), load))
  }
}

/** Unlike `retryOnConflict`, it also retries unique and foreign key violations, which concurrent transactions cause. */
async function retryOnConflictOrViolation<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === ATTEMPTS || !/^(40001|40P01|23505|23503)$/.test(errorCode(error))) throw error
      await wait(WAIT_MS * attempt)
    }
  }
}

/** SQLSTATE classes 22 (data), 23 (constraints) and 54 (limits, such as too many words). */
export const isDataError = (error: unknown): boolean => /^(22|23|54)...$/.test(errorCode(error))

const errorCode = (error: unknown): string => String((error as { code?: unknown }).code)

const mergeResults = (one: LoadResult, other: LoadResult): LoadResult => ({
  imported: one.imported + other.imported,
  unchanged: one.unchanged + other.unchanged,
  newIds: [...one.newIds, ...other.newIds],
  idConflicts: [...one.idConflicts, ...other.idConflicts],
  rejected: [...one.rejected, ...other.rejected],
})

const userIds = (rows: readonly IssueRow[]): number[] =>
  rows.flatMap((row) => [row.reporter_id, row.assignee_id]).filter((id) => id !== null)

const maxId = (ids: readonly number[]): number => ids.reduce((max, id) => Math.max(max, id), 0)
