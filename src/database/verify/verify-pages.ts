import Type, { type Static } from 'typebox'

import { Count, nullable, stringEnum, type BulkSession, type Database, raw, type Sql, sql, optimizationFence } from '../database.ts'
import { isUnreachable } from '../connection-errors.ts'

interface Damage {
  readonly name: string
  readonly kind: 'table' | 'index' | 'sequence'
  readonly found: string
}

export interface VerifiedPages {
  readonly relations: number
  /** Pages of 8 KB. */
  readonly pages: number
  readonly damaged: readonly Damage[]
  readonly onlyRows?: string
  /** False means that a changed bit inside a value cannot be detected. */
  readonly hasChecksums: boolean
}

const Relation = Type.Object({
  name: Type.String(),
  /** Values of pg_class.relkind: r, m and t (TOAST) are tables, i is an index, S a sequence. */
  kind: stringEnum(['r', 'm', 't', 'i', 'S']),
  method: nullable(Type.String()),
  table: nullable(Type.String()),
  pages: Count,
  visibility_pages: Count,
  /** A B-tree with an entry for each row, and its first column or expression. */
  key_index: nullable(Type.String()),
  key: nullable(Type.String()),
  may_be_read: Type.Boolean(),
})
type Relation = Static<typeof Relation>

/**
 * Reads every page, compares each B-tree with its table and each table with one of its indexes, and returns the damage. Pages in
 * shared buffers are not read from disk again. The transaction that creates amcheck and pageinspect is rolled back; a role that may
 * not create them reads only the rows. Writers continue meanwhile.
 */
export async function verifyPages(database: Database, show: (read: number, all: number) => void): Promise<VerifiedPages> {
  let verified: VerifiedPages | undefined
  const undo = new Error('rolls back the extensions')
  const work = database.bulk(async (session) => {
    verified = await verifyInSession(session, show)
    throw undo
  })
  await work.catch((error: unknown) => {
    if (error !== undo) throw error
  })
  if (verified === undefined) throw undo
  return verified
}

const Cluster = Type.Object({ checksums: stringEnum(['on', 'off']), gin: Type.Boolean() })

async function verifyInSession(session: BulkSession, show: (read: number, all: number) => void): Promise<VerifiedPages> {
  // These settings force the two counts to read the table and the index separately.
  for (const scan of ['indexonlyscan', 'bitmapscan', 'seqscan']) await session.execute(raw(`SET LOCAL enable_${scan} = off`))
  const missing = await attempt(session, [
    sql`CREATE EXTENSION IF NOT EXISTS amcheck`,
    sql`CREATE EXTENSION IF NOT EXISTS pageinspect`,
    createEmptyPages,
  ])
  const [setting] = await session.query(sql.type(Cluster)`
    SELECT current_setting('data_checksums') AS checksums, to_regproc('gin_index_check') IS NOT NULL AS gin`)
  const relations = (await listRelations(session)).filter(
    ({ kind, may_be_read }) => missing === undefined || (kind === 'r' && may_be_read),
  )
  const all = relations.reduce((sum, { pages }) => sum + pages, 0)
  const damaged = new Map<string, Damage>()
  /** A damaged relation makes checks of its dependants meaningless. */
  const check = async ({ name, kind }: Relation, statements: readonly Sql[], dependsOn: string | null = null) => {
    if (damaged.has(name) || damaged.has(dependsOn ?? '')) return
    const found = await attempt(session, statements)
    if (found !== undefined) damaged.set(name, { name, kind: kindNames[kind] ?? 'table', found })
  }
  let read = 0
  for (const relation of relations) {
    await check(relation, missing === undefined ? readAllPages(relation) : [readAllRows(relation)])
    show((read += relation.pages), all)
  }
  if (missing === undefined) {
    for (const relation of relations) await check(relation, checkStructure(relation, setting?.gin ?? false), relation.table)
  }
  for (const relation of relations) await check(relation, compareRowsWithKey(relation, missing === undefined), relation.key_index)
  const hasChecksums = setting?.checksums === 'on'
  const onlyRows = missing === undefined ? {} : { onlyRows: missing }
  return { relations: relations.length, pages: all, damaged: [...damaged.values()], hasChecksums, ...onlyRows }
}

/** Tables precede indexes, so that damage is attributed to the table. */
const listRelations = (session: BulkSession): Promise<Relation[]> =>
  session.query(sql.type(Relation)`
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

function readAllPages(relation: Relation): Sql[] {
  const { name, kind, pages, visibility_pages } = relation
  // An index has a page even if its table is empty.
  if (kind === 'i' && pages === 0) return [sql`SELECT 'its file is empty or missing' AS found`]
  const visibility = sql`
    SELECT count(get_raw_page(${name}, 'vm', n)) FROM generate_series(0::bigint, ${visibility_pages}::bigint - 1) n`
  return [recordEmptyPages(relation), ...(visibility_pages > 0 ? [visibility] : [])]
}

/** PostgreSQL before 18 cannot check GIN, and no version can check GiST: only their pages of zeros are found. */
function checkStructure(relation: Relation, canCheckGin: boolean): Sql[] {
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

/** The conversion to text reads every value, TOAST included. */
const readAllRows = ({ name }: Relation): Sql => sql`SELECT count(t::text) FROM ${raw(name)} t`

/** A truncated table has fewer rows than its index has entries, or the entries point to missing pages or to pages of zeros. */
const compareRowsWithKey = ({ name, key, key_index }: Relation, canReadPages: boolean): Sql[] =>
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

/** Statements that report damage by failing have other columns. */
const Finding = Type.Object({ found: Type.Optional(Type.String()) }, { additionalProperties: true })

async function attempt(session: BulkSession, statements: readonly Sql[]): Promise<string | undefined> {
  await session.execute(sql`SAVEPOINT attempted`)
  try {
    for (const statement of statements) {
      const [row] = await session.query(sql.type(Finding)`${statement}`)
      if (row?.found !== undefined) return row.found
    }
    return undefined
  } catch (error) {
    if (isUnreachable(error)) throw error
    await session.execute(sql`ROLLBACK TO SAVEPOINT attempted`)
    const { code, message } = error as { code?: string; message: string }
    return code === UNDEFINED_TABLE ? undefined : message
  }
}

const UNDEFINED_TABLE = '42P01'

/**
 * A crash may leave pages of zeros, which PostgreSQL treats as unused. They are damage only if an index points to them. The
 * extension pageinspect requires a superuser.
 */

const ZEROS = sql`decode(repeat('00', 8192), 'hex')`

interface Pages {
  readonly name: string
  readonly pages: number
}

const createEmptyPages = sql`CREATE TEMPORARY TABLE empty_pages (name text, block bigint) ON COMMIT DROP`

const recordEmptyPages = ({ name, pages }: Pages): Sql => sql`
  INSERT INTO empty_pages (name, block)
  SELECT ${name}, n FROM generate_series(0::bigint, ${pages}::bigint - 1) n WHERE get_raw_page(${name}, 'main', n) = ${ZEROS}`

const emptyPageOfTable = (table: string, index: string): Sql =>
  emptyPage(
    table,
    sql`
      SELECT empty_pages.block, format('%s refers to it', ${index}::text) AS reason
      FROM generate_series(1::bigint, pg_relation_size(${index}::regclass) / 8192 - 1) n
      CROSS JOIN LATERAL bt_page_stats(${index}, n::integer) stats
      CROSS JOIN LATERAL bt_page_items(${index}, n::integer) item
      CROSS JOIN LATERAL unnest(coalesce(item.tids, ARRAY[item.htid])) reference (tid)
      JOIN empty_pages ON empty_pages.name = ${table} AND empty_pages.block = ${blockOf(sql`reference.tid`)}
      -- The first item of a leaf with a right sibling is the high key.
      WHERE stats.type = 'l' AND (item.itemoffset > 1 OR stats.btpo_next = 0)`,
  )

const emptyPageOfGist = ({ name, pages }: Pages): Sql =>
  emptyPage(
    name,
    sql`
      SELECT empty_pages.block, 'it is the root' AS reason FROM empty_pages WHERE empty_pages.name = ${name} AND empty_pages.block = 0
      UNION ALL
      SELECT empty_pages.block, format('block %s refers to it', n)
      FROM generate_series(0::bigint, ${pages}::bigint - 1) n
      CROSS JOIN LATERAL get_raw_page(${name}, 'main', n) page
      CROSS JOIN LATERAL gist_page_opaque_info(page) info
      CROSS JOIN LATERAL gist_page_items_bytea(page) item
      JOIN empty_pages ON empty_pages.name = ${name} AND empty_pages.block = ${blockOf(sql`item.ctid`)}
      WHERE NOT 'leaf' = ANY (info.flags)`,
  )

/** References to GIN pages cannot be read, so harmless empty pages of a crash are reported too; REINDEX removes them. */
const emptyPageOfGin = ({ name, pages }: Pages): Sql =>
  emptyPage(
    name,
    sql`
      SELECT empty_pages.block, 'it is in use' AS reason
      FROM empty_pages
      WHERE empty_pages.name = ${name} AND (empty_pages.block < 2
        OR empty_pages.block < (SELECT max(n) FROM generate_series(0::bigint, ${pages}::bigint - 1) n
          WHERE n NOT IN (SELECT others.block FROM empty_pages others WHERE others.name = ${name}))
        OR empty_pages.block IN (SELECT (gin_page_opaque_info(get_raw_page(${name}, 'main', n))).rightlink
          FROM generate_series(1::bigint, ${pages}::bigint - 1) n))`,
  )

/** A writer may have used the page meanwhile, so it is read again. */
const emptyPage = (name: string, reported: Sql): Sql => sql`
  SELECT format('block %s contains only zeros, and %s', used.block, used.reason) AS found
  FROM (SELECT reported.block, reported.reason FROM (${reported}) reported WHERE EXISTS (SELECT FROM empty_pages WHERE empty_pages.name = ${name}) ${optimizationFence}) used
  WHERE get_raw_page(${name}, 'main', used.block) = ${ZEROS}
  LIMIT 1`

/** The type tid has no operator for its block number. */
const blockOf = (tid: Sql): Sql => sql`(${tid}::text::point)[0]::bigint`
