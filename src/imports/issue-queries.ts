import { setTimeout as wait } from 'node:timers/promises'
import Type, { type Static } from 'typebox'

import { toCopyText } from '../database/copy-database.ts'
import { Id, IdRow, type BulkSession, type Executable, type Database, raw, sql, lockName } from '../database/database.ts'
import { countWords } from '../search/dictionary.ts'
import type { IssueRow } from './issue-rows.ts'

interface ExistingData {
  readonly importKeys: ReadonlySet<string>
  readonly ids: ReadonlySet<number>
  readonly requestTypes: ReadonlyMap<number, string>
}

/** Concurrent imports of one file would conflict. The lock lasts until the end of the transaction. */
export const lockImports = (session: Executable): Promise<void> => lockName(session, 'fixpoint import')

const KeyRow = Type.Object({ import_key: Type.String() })
const TypeRow = Type.Object({ id: Id, category: Type.String() })

async function findExisting(session: BulkSession, rows: readonly IssueRow[]): Promise<ExistingData> {
  const types = [...new Set(rows.map((row) => row.request_type_id).filter((id) => id !== null))]
  const byKey = await session.query(sql.type(KeyRow)`
    SELECT i.import_key
    FROM issues i
    WHERE i.import_key = ANY (${rows.map((row) => row.import_key)}::text[])`)
  const byId = await session.query(sql.type(IdRow)`
    SELECT i.id FROM issues i WHERE i.id = ANY (${rows.map((row) => row.id)}::integer[])`)
  const byType = await session.query(sql.type(TypeRow)`
    SELECT t.id, t.category FROM request_types t WHERE t.id = ANY (${types}::integer[])`)
  return {
    importKeys: new Set(byKey.map((row) => row.import_key)),
    ids: new Set(byId.map((row) => row.id)),
    requestTypes: new Map(byType.map((row) => [row.id, row.category])),
  }
}

async function nextIds(session: BulkSession, count: number): Promise<number[]> {
  const rows = await session.query(sql.type(IdRow)`
    SELECT nextval(pg_get_serial_sequence('issues', 'id'))::integer AS id
    FROM generate_series(1, ${count}::integer)`)
  return rows.map((row) => row.id)
}

/** Users are locked in the order of ids, like in every transaction. */
async function addPlaceholderUsers(session: BulkSession, ids: readonly number[]): Promise<void> {
  await session.execute(sql`
    INSERT INTO users (id, name)
    SELECT new_user.id, 'User ' || new_user.id
    FROM unnest(${[...new Set(ids)]}::integer[]) AS new_user (id)
    WHERE NOT EXISTS (SELECT FROM users u WHERE u.id = new_user.id)
    ORDER BY new_user.id
    ON CONFLICT DO NOTHING`)
}

/** Requires `lockImports`, `findExisting` and `reserveIds`. */
async function copyIssues(session: BulkSession, rows: readonly IssueRow[], known: ExistingData, now: string): Promise<void> {
  const columns = rows.map(({ line: _, category, ...row }) => ({
    ...row,
    category: category ?? (row.request_type_id === null ? undefined : known.requestTypes.get(row.request_type_id)) ?? 'other',
    imported_at: now,
  }))
  const [first] = columns
  if (first) await session.copy('issues', Object.keys(first), toCopyText(columns.map((row) => Object.values(row))))
}

const SequencePosition = Type.Object({ is_past: Type.Boolean() })

/**
 * Keeps new rows from using ids of the file. The ALTER only locks the sequence: it waits for transactions that use it, and keeps
 * `setval` from undoing a concurrent `nextval`.
 */
async function reserveIds(database: Database, table: 'issues' | 'users', id: number): Promise<void> {
  const isPast = sql`coalesce(pg_sequence_last_value(pg_get_serial_sequence(${table}, 'id')::regclass), 0) >= ${id}::bigint`
  const [found] = await database.query(sql.type(SequencePosition)`SELECT ${isPast} AS is_past`)
  if (found?.is_past) return
  await database.bulk(async (session) => {
    await session.execute(raw(`ALTER SEQUENCE ${table}_id_seq CACHE 1`))
    await session.execute(sql`SELECT setval(pg_get_serial_sequence(${table}, 'id'), ${id}::bigint) WHERE NOT ${isPast}`)
  })
}

const RenumberedRow = Type.Object({ id: Id, newId: Id })

/** Lists the issues by their new id, from the first one above `after`. */
export function listRenumbered(
  database: Database,
  source: string,
  after: number,
  limit: number,
): Promise<Static<typeof RenumberedRow>[]> {
  const prefix = sql`(${source}::text || ':')`
  const originalId = sql`substr(i.import_key, length${prefix} + 1)`
  // No index supports this query, so it needs the timeout of `bulk`.
  return database.bulk((session) =>
    session.query(sql.type(RenumberedRow)`
      SELECT renumbered.id::integer AS id, renumbered.new_id AS "newId"
      FROM (
        SELECT ${originalId} AS id, i.id AS new_id
        FROM issues i
        WHERE i.id > ${after} AND starts_with(i.import_key, ${prefix}) AND ${originalId} ~ '^[1-9][0-9]{0,9}$' AND ${originalId} <> i.id::text
        ORDER BY i.id
        LIMIT ${limit}::integer) renumbered
      ORDER BY renumbered.new_id`),
  )
}

/** Counts the words of the dictionary and analyses: the embedded engine has no autovacuum, and that of a server runs later. */
export async function refreshStatistics(database: Database): Promise<void> {
  await countWords(database)
  await database.executeScript('ANALYZE issues, users, search_words')
}

export interface NewId {
  readonly line: number
  readonly id: number
  readonly newId: number
}

export interface RejectedIssue {
  readonly row: IssueRow
  readonly reason: string
}

interface LoadResult {
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
