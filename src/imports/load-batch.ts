import { setTimeout as wait } from 'node:timers/promises'

import type { Database } from '../database/database.ts'
import { addPlaceholders, copyIssues, findExisting, nextIds, reserveIds, lockImports, type ExistingData } from './issue-queries.ts'
import type { IssueRow } from './issue-rows.ts'

export interface NewId {
  readonly line: number
  readonly id: number
  readonly newId: number
}

export interface RefusedRow {
  readonly row: IssueRow
  readonly reason: string
}

/** The result of a batch; each row is counted once. */
export interface LoadResult {
  readonly imported: number
  readonly unchanged: number
  readonly newIds: readonly NewId[]
  /** Rows whose id another issue has: they come in under new ids once every free id of the file has been used. */
  readonly taken: readonly IssueRow[]
  readonly refused: readonly RefusedRow[]
}

const emptyResult: LoadResult = { imported: 0, unchanged: 0, newIds: [], taken: [], refused: [] }

const ATTEMPTS = 5
const WAIT_MS = 100

/**
 * Writes the rows whose ids are free, in one transaction: after a crash a batch is there as a whole or not at all. `now` is the
 * time of the import in ISO 8601.
 */
export async function loadBatch(database: Database, rows: readonly IssueRow[], now: string): Promise<LoadResult> {
  if (rows.length === 0) return emptyResult
  await reserveIds(database, 'issues', maxId(rows.map((row) => row.id)))
  await reserveIds(database, 'users', maxId(userIds(rows)))
  return loadWithBisection(rows, (part) =>
    database.bulk(async (session) => {
      await lockImports(session)
      const known = await findExisting(session, part)
      const loaded = classifyRows(part, known)
      await addPlaceholders(session, userIds(loaded.free))
      await copyIssues(session, loaded.free, known, now)
      return { ...emptyResult, ...loaded, imported: loaded.free.length }
    }),
  )
}

/** Writes rows whose ids are taken under new ones; those that came in some other way meanwhile, or never could, are left out. */
export async function loadUnderNewIds(database: Database, rows: readonly IssueRow[], now: string): Promise<LoadResult> {
  if (rows.length === 0) return emptyResult
  return loadWithBisection(rows, (part) =>
    database.bulk(async (session) => {
      await lockImports(session)
      const known = await findExisting(session, part)
      const { taken } = classifyRows(part, known)
      const ids = await nextIds(session, taken.length)
      const renumbered = taken.map((row, position) => ({ ...row, id: ids[position] ?? row.id }))
      await addPlaceholders(session, userIds(renumbered))
      await copyIssues(session, renumbered, known, now)
      const newIds = taken.map((row, position) => ({ line: row.line, id: row.id, newId: ids[position] ?? row.id }))
      return { ...emptyResult, imported: taken.length, newIds }
    }),
  )
}

function classifyRows(rows: readonly IssueRow[], known: ExistingData) {
  const seen = new Set<string>()
  const free: IssueRow[] = []
  const taken: IssueRow[] = []
  const refused: RefusedRow[] = []
  let unchanged = 0
  for (const row of rows) {
    if (known.importKeys.has(row.importKey) || seen.has(row.importKey)) {
      unchanged++
    } else if (row.requestTypeId !== null && !known.requestTypes.has(row.requestTypeId)) {
      refused.push({ row, reason: `request_type_id ${row.requestTypeId} is unknown` })
    } else {
      seen.add(row.importKey)
      if (known.ids.has(row.id)) taken.push(row)
      else free.push(row)
    }
  }
  return { free, taken, refused, unchanged }
}

/** A row that only the database finds fault with must not cost the others of its batch: halving finds it. */
async function loadWithBisection(
  rows: readonly IssueRow[],
  load: (rows: readonly IssueRow[]) => Promise<LoadResult>,
): Promise<LoadResult> {
  try {
    return await retryOnConflict(() => load(rows))
  } catch (error) {
    if (!isDataError(error)) throw error
    const [only] = rows
    if (only !== undefined && rows.length === 1)
      return { ...emptyResult, refused: [{ row: only, reason: (error as Error).message }] }
    const middle = Math.ceil(rows.length / 2)
    return mergeResults(await loadWithBisection(rows.slice(0, middle), load), await loadWithBisection(rows.slice(middle), load))
  }
}

/** Two transactions that wait for each other, and rows that came or went since they were looked at, are worth another try. */
async function retryOnConflict<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === ATTEMPTS || !/^(40001|40P01|23505|23503)$/.test(errorCode(error))) throw error
      await wait(WAIT_MS * attempt)
    }
  }
}

/** Classes 22 (data), 23 (constraints) and 54 (limits, such as too many words) of SQLSTATE. */
export const isDataError = (error: unknown): boolean => /^(22|23|54)...$/.test(errorCode(error))

const errorCode = (error: unknown): string => String((error as { code?: unknown }).code)

const mergeResults = (one: LoadResult, other: LoadResult): LoadResult => ({
  imported: one.imported + other.imported,
  unchanged: one.unchanged + other.unchanged,
  newIds: [...one.newIds, ...other.newIds],
  taken: [...one.taken, ...other.taken],
  refused: [...one.refused, ...other.refused],
})

const userIds = (rows: readonly IssueRow[]): number[] =>
  rows.flatMap((row) => [row.reporterId, row.assigneeId]).filter((id) => id !== null)

const maxId = (ids: readonly number[]): number => ids.reduce((most, id) => Math.max(most, id), 0)
