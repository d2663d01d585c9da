import { AsyncLocalStorage } from 'node:async_hooks'
import Type from 'typebox'

import { UserFacingError } from '../environment/user-facing-error.ts'
import { Count, nullable, type Database, type Queryable, raw, sql } from './database.ts'
import { isCurrent } from './migrate.ts'

export type CopyValue = string | number | boolean | null

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Returns COPY's text format. Texts must not contain U+0000. */
export function toCopyText(rows: readonly (readonly CopyValue[])[]): string {
  return rows.map((row) => `${row.map(toField).join('\t')}\n`).join('')
}

function toField(value: CopyValue): string {
  if (value === null) return '\\N'
  return typeof value === 'string' ? value.replace(/[\\\n\r\t]/g, (character) => escapes[character] ?? character) : String(value)
}

/** These are not copied: `verifyPyramid` rebuilds them, and rate limits last a minute. */
const derivedTables = ['issue_cells', 'issue_changes', 'past_issue_changes', 'area_parts', 'table_versions', 'rate_limits']

/** This limits one read to a few thousand rows. */
const PAGES_PER_READ = 200

interface Table {
  readonly name: string
  /** Generated columns are left out. */
  readonly columns: readonly string[]
}

const LastId = Type.Object({ table: Type.String(), last: nullable(Type.Integer()) })

const lastIdsQuery = sql`
  SELECT c.relname AS "table", pg_sequence_last_value(s.seqrelid) AS last
  FROM pg_sequence s
  JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = s.seqrelid AND d.deptype IN ('a', 'i')
  JOIN pg_class c ON c.oid = d.refobjid AND c.relnamespace = 'public'::regnamespace`

/**
 * Copies every row of a database, which must not change meanwhile, in one transaction. Run `verifyPyramid` afterwards.
 * @param name name of the copied database in messages
 * @returns the number of rows by table
 * @throws UserFacingError if the database does not have the migrations of this version, or the target is not empty
 */
export async function copyDatabase(from: Database, to: Database, name: string): Promise<Map<string, number>> {
  if (!(await isCurrent(from)))
    throw new UserFacingError(
      `${name} is not a database of this version of Fixpoint. Start this version on it once, then try again.`,
    )
  const tables = await listTables(to)
  const lastIds = new Map((await from.query(sql.type(LastId)`${lastIdsQuery}`)).map(({ table, last }) => [table, last]))
  // The other database is read outside of the transaction's async context, which allows only its own handle.
  const outside = AsyncLocalStorage.snapshot()
  return to.bulk(async (session) => {
    await assertEmpty(session, tables)
    // Rows of one table may refer to later ones of the same table.
    await session.execute(raw('SET CONSTRAINTS ALL DEFERRED'))
    const counts = new Map<string, number>()
    // Triggers are disabled because the rows already contain their results.
    for (const table of tables) await session.execute(raw(`ALTER TABLE ${table.name} DISABLE TRIGGER USER`))
    for (const table of tables) {
      for (let page = 0, pages = await outside(() => countPages(from, table)); page < pages; page += PAGES_PER_READ) {
        const rows = await outside(() => readPages(from, table, page))
        if (rows.length > 0) await session.copy(table.name, table.columns, toCopyText(rows))
      }
      counts.set(table.name, await countRows(session, table))
      const expected = await outside(() => countRows(from, table))
      if (counts.get(table.name) !== expected)
        throw new Error(`${table.name} has ${counts.get(table.name)} rows instead of ${expected}`)
    }
    await session.execute(raw('SET CONSTRAINTS ALL IMMEDIATE'))
    for (const table of tables) await session.execute(raw(`ALTER TABLE ${table.name} ENABLE TRIGGER USER`))
    for (const { name: table } of tables) {
      const last = lastIds.get(table) ?? null
      if (last !== null) await session.execute(sql`SELECT setval(pg_get_serial_sequence(${table}, 'id'), ${last}::bigint)`)
    }
    return counts
  })
}

const TableRow = Type.Object({ table: Type.String(), columns: Type.Array(Type.String()), refers_to: Type.Array(Type.String()) })

/** The order follows the foreign keys. */
async function listTables(db: Queryable): Promise<Table[]> {
  const rows = await db.query(sql.type(TableRow)`
    SELECT c.relname AS "table", array_agg(quote_ident(a.attname) ORDER BY a.attnum) AS columns,
      (SELECT coalesce(array_agg(r.relname::text), '{}') FROM pg_constraint k JOIN pg_class r ON r.oid = k.confrelid
       WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid <> k.conrelid) AS refers_to
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname NOT IN ('_prisma_migrations', 'spatial_ref_sys')
    GROUP BY c.oid, c.relname ORDER BY c.relname`)
  const remaining = rows.filter(({ table }) => !derivedTables.includes(table))
  const ordered: Table[] = []
  while (remaining.length > 0) {
    const next = remaining.findIndex(({ refers_to }) => !remaining.some(({ table }) => refers_to.includes(table)))
    const [{ table, columns }] = remaining.splice(next, 1) as [(typeof remaining)[number]]
    ordered.push({ name: table, columns })
  }
  return ordered
}

async function assertEmpty(db: Queryable, tables: readonly Table[]): Promise<void> {
  for (const table of tables) {
    if ((await countRows(db, table)) > 0) {
      throw new UserFacingError(
        `The target database already has rows (in ${table.name}). Set DATABASE_URL or DATA_DIR to a new, empty database.`,
      )
    }
  }
}

const RowCount = Type.Object({ count: Count })

async function countRows(db: Queryable, { name }: Table): Promise<number> {
  const [row] = await db.query(sql.type(RowCount)`SELECT count(*) AS count FROM ${raw(name)}`)
  return row?.count ?? 0
}

const PageCount = Type.Object({ pages: Count })

async function countPages(db: Queryable, { name }: Table): Promise<number> {
  const [row] = await db.query(sql.type(PageCount)`
    SELECT pg_relation_size(${name}::regclass) / current_setting('block_size')::bigint AS pages`)
  return row?.pages ?? 0
}

const CopiedRow = Type.Object({ row: Type.Array(nullable(Type.String())) })

async function readPages(db: Queryable, { name, columns }: Table, first: number): Promise<(string | null)[][]> {
  const rows = await db.query(sql.type(CopiedRow)`
    SELECT json_build_array(${raw(columns.map((column) => `t.${column}::text`).join(', '))}) AS row FROM ${raw(name)} t
    WHERE t.ctid >= ${`(${first},0)`}::tid AND t.ctid < ${`(${first + PAGES_PER_READ},0)`}::tid`)
  return rows.map(({ row }) => row)
}
