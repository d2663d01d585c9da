import { type BulkSession, type Database, raw, type Sql, sql } from '../database.ts'
import { createEmptyPages, emptyPageOfGin, emptyPageOfGist, emptyPageOfTable, readAndNoteEmpty } from './empty-pages.ts'
import { isUnreachable } from '../unreachable.ts'

/** Something in a table, an index or a sequence that cannot be read, or disagrees with the rest. */
export interface Damage {
  readonly name: string
  readonly kind: 'table' | 'index' | 'sequence'
  /** In the words of PostgreSQL or of its extension amcheck. */
  readonly found: string
}

export interface VerifiedPages {
  readonly relations: number
  /** Their number; a page has 8 KB. */
  readonly pages: number
  readonly damaged: readonly Damage[]
  /** Why only the rows of tables could be read; undefined where everything was. */
  readonly onlyRows?: string
  /** Whether the cluster has checksums, without which a changed bit inside a value cannot be noticed. */
  readonly hasChecksums: boolean
}

interface Relation {
  readonly name: string
  /** As in pg_class: r, m and t (TOAST) are tables, i is an index, S a sequence. */
  readonly kind: 'r' | 'm' | 't' | 'i' | 'S'
  readonly method: string | null
  readonly pages: number
  readonly visibility_pages: number
  /** The table that an index is of. */
  readonly table: string | null
  /** A B-tree that has an entry for each row, and its first column or expression. */
  readonly key_index: string | null
  readonly key: string | null
  readonly may_be_read: boolean
}

/**
 * Reads every page of every table and index, compares each B-tree with its table and each table with an index of it, and returns what is damaged.
 * Pages that PostgreSQL has in memory are not read from the disk again. Pages are read with the extensions amcheck and pageinspect, made in a transaction
 * that is rolled back; where the role may not make them, the rows of all its tables are read instead. Writers go on meanwhile.
 * @param show receives how many of all pages have been read
 */
export async function verifyPages(database: Database, show: (read: number, all: number) => void): Promise<VerifiedPages> {
  let verified: VerifiedPages | undefined
  const undo = new Error('The extensions are not kept.')
  const work = database.bulk(async (session) => {
    verified = await verifyWithin(session, show)
    throw undo
  })
  await work.catch((error: unknown) => {
    if (error !== undo) throw error
  })
  if (verified === undefined) throw undo
  return verified
}

async function verifyWithin(session: BulkSession, show: (read: number, all: number) => void): Promise<VerifiedPages> {
  // Only so are the counts of rows and of entries counts of two different things.
  await session.execute(sql`SET LOCAL enable_indexonlyscan = off`)
  await session.execute(sql`SET LOCAL enable_bitmapscan = off`)
  await session.execute(sql`SET LOCAL enable_seqscan = off`)
  const missing = await attempt(session, [
    sql`CREATE EXTENSION IF NOT EXISTS amcheck`,
    sql`CREATE EXTENSION IF NOT EXISTS pageinspect`,
    createEmptyPages,
  ])
  const [setting] = await session.query<{ checksums: string; gin: boolean }>(sql`
    SELECT current_setting('data_checksums') AS checksums, to_regproc('gin_index_check') IS NOT NULL AS gin`)
  const relations = (await listRelations(session)).filter(
    ({ kind, may_be_read }) => missing === undefined || (kind === 'r' && may_be_read),
  )
  const all = relations.reduce((sum, { pages }) => sum + pages, 0)
  const damaged = new Map<string, Damage>()
  /** What was found damaged already says nothing of what depends on it. */
  const check = async ({ name, kind }: Relation, statements: readonly Sql[], dependsOn: string | null = null) => {
    if (damaged.has(name) || damaged.has(dependsOn ?? '')) return
    const found = await attempt(session, statements)
    if (found !== undefined) damaged.set(name, { name, kind: kindNames[kind] ?? 'table', found })
  }
  let read = 0
  for (const relation of relations) {
    await check(relation, missing === undefined ? pagesOf(relation) : [rowsOf(relation)])
    show((read += relation.pages), all)
  }
  if (missing === undefined) {
    for (const relation of relations) await check(relation, structureOf(relation, setting?.gin ?? false), relation.table)
  }
  for (const relation of relations) await check(relation, comparisonOf(relation, missing === undefined), relation.key_index)
  const hasChecksums = setting?.checksums === 'on'
  const onlyRows = missing === undefined ? {} : { onlyRows: missing }
  return { relations: relations.length, pages: all, damaged: [...damaged.values()], hasChecksums, ...onlyRows }
}

/** Tables before indexes, so that a damaged table is named as such, and not its indexes. */
const listRelations = (session: BulkSession): Promise<Relation[]> =>
  session.query<Relation>(sql`
    SELECT c.oid::regclass::text AS name, c.relkind AS kind, m.amname AS method, i.indrelid::regclass::text AS table,
      pg_relation_size(c.oid) / 8192 AS pages, pg_relation_size(c.oid, 'vm') / 8192 AS visibility_pages,
      key.indexrelid::regclass::text AS key_index, pg_get_indexdef(key.indexrelid, 1, true) AS key,
      has_schema_privilege(c.relnamespace, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') AS may_be_read
    FROM pg_class c
    LEFT JOIN pg_am m ON m.oid = c.relam
    LEFT JOIN pg_index i ON i.indexrelid = c.oid
    LEFT JOIN LATERAL (
      SELECT k.indexrelid
      FROM pg_index k JOIN pg_class kc ON kc.oid = k.indexrelid JOIN pg_am km ON km.oid = kc.relam AND km.amname = 'btree'
      WHERE k.indrelid = c.oid AND k.indisvalid AND k.indpred IS NULL
      ORDER BY k.indisprimary DESC, k.indisunique DESC, k.indexrelid LIMIT 1) key ON true
    WHERE c.relkind IN ('r', 'm', 't', 'i', 'S') AND c.relpersistence <> 't' AND (i.indisvalid AND i.indisready) IS NOT FALSE
    ORDER BY c.relkind = 'i', c.oid`)

const kindNames: Readonly<Partial<Record<Relation['kind'], Damage['kind']>>> = { i: 'index', S: 'sequence' }

function pagesOf(relation: Relation): Sql[] {
  const { name, kind, pages, visibility_pages } = relation
  // Also an index of an empty table has a page.
  if (kind === 'i' && pages === 0) return [sql`SELECT 'its file is empty or missing' AS found`]
  const visibility = sql`
    SELECT count(get_raw_page(${name}, 'vm', n)) FROM generate_series(0::bigint, ${visibility_pages}::bigint - 1) n`
  return [readAndNoteEmpty(relation), ...(visibility_pages > 0 ? [visibility] : [])]
}

/**
 * Each statement fails where something is wrong, or says it in a row as `found`. PostgreSQL before 18 cannot check GIN, none can check GiST: of these
 * only pages of zeros are found.
 */
function structureOf(relation: Relation, canCheckGin: boolean): Sql[] {
  const { name, kind, method } = relation
  if (method === 'btree') return [sql`SELECT FROM bt_index_check(${name}::regclass, true)`]
  if (method === 'gist') return [emptyPageOfGist(relation)]
  if (method === 'gin') {
    return [emptyPageOfGin(relation), ...(canCheckGin ? [sql`SELECT FROM gin_index_check(${name}::regclass)`] : [])]
  }
  if (kind === 'S') return [sql`SELECT pg_sequence_last_value(${name}::regclass)`]
  if (kind === 'i') return []
  return [sql`SELECT format('block %s, row %s: %s', blkno, offnum, msg) AS found FROM verify_heapam(${name}::regclass) LIMIT 1`]
}

/** As text every value is read, those that stand apart (TOAST) too. */
const rowsOf = ({ name }: Relation): Sql => sql`SELECT count(t::text) FROM ${raw(name)} t`

/** A table that was cut off has fewer rows than its index has entries, or its entries lead nowhere, which fails, or to a page of zeros. */
const comparisonOf = ({ name, key, key_index }: Relation, canReadPages: boolean): Sql[] =>
  key === null || key_index === null
    ? []
    : [
        ...(canReadPages ? [emptyPageOfTable(name, key_index)] : []),
        sql`
          SELECT format('it has %s rows, and by its index %s', c.rows, c.entries) AS found
          FROM (SELECT (SELECT count(*) FROM ${raw(name)}) AS rows,
            (SELECT count(*) FROM (SELECT FROM ${raw(name)} t ORDER BY ${raw(key)} OFFSET 0) t) AS entries) c
          WHERE c.rows <> c.entries`,
      ]

/** Runs statements one after the other; returns what the first one says that finds something, after which the session is as before. */
async function attempt(session: BulkSession, statements: readonly Sql[]): Promise<string | undefined> {
  await session.execute(sql`SAVEPOINT attempted`)
  try {
    for (const statement of statements) {
      const [row] = await session.query<{ found?: string }>(statement)
      if (row?.found !== undefined) return row.found
    }
    return undefined
  } catch (error) {
    if (isUnreachable(error)) throw error
    await session.execute(sql`ROLLBACK TO SAVEPOINT attempted`)
    const { code, message } = error as { code?: string; message: string }
    return code === DROPPED_MEANWHILE ? undefined : message
  }
}

/** SQLSTATE undefined_table. */
const DROPPED_MEANWHILE = '42P01'
