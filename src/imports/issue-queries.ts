import Type, { type Static } from 'typebox'

import { Id, IdRow } from '../database/columns.ts'
import { type BulkSession, type Executable, type Database, raw, sql } from '../database/database.ts'
import { lockName } from '../database/lock-name.ts'
import { toCopyText } from '../database/copy-text.ts'
import { countWords } from '../search/dictionary.ts'
import type { IssueRow } from './issue-rows.ts'

export interface ExistingData {
  readonly importKeys: ReadonlySet<string>
  readonly ids: ReadonlySet<number>
  readonly requestTypes: ReadonlyMap<number, string>
}

/** Concurrent imports of one file would conflict. The lock lasts until the end of the transaction. */
export const lockImports = (session: Executable): Promise<void> => lockName(session, 'fixpoint import')

const KeyRow = Type.Object({ import_key: Type.String() })
const TypeRow = Type.Object({ id: Id, category: Type.String() })

export async function findExisting(session: BulkSession, rows: readonly IssueRow[]): Promise<ExistingData> {
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

export async function nextIds(session: BulkSession, count: number): Promise<number[]> {
  const rows = await session.query(sql.type(IdRow)`
    SELECT nextval(pg_get_serial_sequence('issues', 'id'))::integer AS id
    FROM generate_series(1, ${count}::integer)`)
  return rows.map((row) => row.id)
}

/** Users are locked in the order of ids, like in every transaction. */
export async function addPlaceholderUsers(session: BulkSession, ids: readonly number[]): Promise<void> {
  await session.execute(sql`
    INSERT INTO users (id, name)
    SELECT new_user.id, 'User ' || new_user.id
    FROM unnest(${[...new Set(ids)]}::integer[]) AS new_user (id)
    WHERE NOT EXISTS (SELECT FROM users u WHERE u.id = new_user.id)
    ORDER BY new_user.id
    ON CONFLICT DO NOTHING`)
}

/** Requires `lockImports`, `findExisting` and `reserveIds`. */
export async function copyIssues(session: BulkSession, rows: readonly IssueRow[], known: ExistingData, now: string): Promise<void> {
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
export async function reserveIds(database: Database, table: 'issues' | 'users', id: number): Promise<void> {
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
