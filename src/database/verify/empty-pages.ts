import { type Sql, sql } from '../database.ts'

/*
 * PostgreSQL takes a page of zeros as one that was added and not used yet, and a crash may leave such pages. So a page of zeros is damage only where
 * an index leads to it. The superuser's extension pageinspect is needed.
 */

const ZEROS = sql`decode(repeat('00', 8192), 'hex')`

interface Pages {
  readonly name: string
  readonly pages: number
}

/** The temporary table that `readAndNoteEmpty` writes to; it ends with the transaction. */
export const createEmptyPages = sql`CREATE TEMPORARY TABLE empty_pages (name text, block bigint) ON COMMIT DROP`

/** Reads all pages and notes those of zeros. */
export const readAndNoteEmpty = ({ name, pages }: Pages): Sql => sql`
  INSERT INTO empty_pages (name, block)
  SELECT ${name}, n FROM generate_series(0::bigint, ${pages}::bigint - 1) n WHERE get_raw_page(${name}, 'main', n) = ${ZEROS}`

/** Finds an empty page of a table to which the leaves of a B-tree lead. */
export const emptyPageOfTable = (table: string, index: string): Sql =>
  emptyPage(
    table,
    sql`
      SELECT z.block, format('%s leads there', ${index}::text) AS reason
      FROM generate_series(1::bigint, pg_relation_size(${index}::regclass) / 8192 - 1) n
      CROSS JOIN LATERAL bt_page_stats(${index}, n::integer) s
      CROSS JOIN LATERAL bt_page_items(${index}, n::integer) i
      CROSS JOIN LATERAL unnest(coalesce(i.tids, ARRAY[i.htid])) t (tid)
      JOIN empty_pages z ON z.name = ${table} AND z.block = ${blockOf(sql`t.tid`)}
      -- The first item of a leaf that has a right sibling is its upper bound.
      WHERE s.type = 'l' AND (i.itemoffset > 1 OR s.btpo_next = 0)`,
  )

/** Finds an empty page of a GiST index that is its root, or to which an inner page leads. */
export const emptyPageOfGist = ({ name, pages }: Pages): Sql =>
  emptyPage(
    name,
    sql`
      SELECT z.block, 'it is the root' AS reason FROM empty_pages z WHERE z.name = ${name} AND z.block = 0
      UNION ALL
      SELECT z.block, format('block %s leads there', n)
      FROM generate_series(0::bigint, ${pages}::bigint - 1) n
      CROSS JOIN LATERAL get_raw_page(${name}, 'main', n) page
      CROSS JOIN LATERAL gist_page_opaque_info(page) o
      CROSS JOIN LATERAL gist_page_items_bytea(page) i
      JOIN empty_pages z ON z.name = ${name} AND z.block = ${blockOf(sql`i.ctid`)}
      WHERE NOT 'leaf' = ANY (o.flags)`,
  )

/**
 * Finds an empty page of a GIN index that is not at its end. What leads to a page cannot be read in a GIN index, so one that a crash left and later
 * pages followed is found too; REINDEX removes it.
 */
export const emptyPageOfGin = ({ name, pages }: Pages): Sql =>
  emptyPage(
    name,
    sql`
      SELECT z.block, 'it is in use' AS reason
      FROM empty_pages z
      WHERE z.name = ${name} AND (z.block < 2
        OR z.block < (SELECT max(n) FROM generate_series(0::bigint, ${pages}::bigint - 1) n
          WHERE n NOT IN (SELECT e.block FROM empty_pages e WHERE e.name = ${name}))
        OR z.block IN (SELECT (gin_page_opaque_info(get_raw_page(${name}, 'main', n))).rightlink
          FROM generate_series(1::bigint, ${pages}::bigint - 1) n))`,
  )

/** Reads a page once more after what leads to it: writers may have used it meanwhile. Without empty pages, nothing is read. */
const emptyPage = (name: string, used: Sql): Sql => sql`
  SELECT format('block %s holds nothing but zeros, and %s', u.block, u.reason) AS found
  FROM (SELECT l.block, l.reason FROM (${used}) l WHERE EXISTS (SELECT FROM empty_pages e WHERE e.name = ${name}) OFFSET 0) u
  WHERE get_raw_page(${name}, 'main', u.block) = ${ZEROS}
  LIMIT 1`

/** The block number of a tid, which has no operator for it. */
const blockOf = (tid: Sql): Sql => sql`(${tid}::text::point)[0]::bigint`
