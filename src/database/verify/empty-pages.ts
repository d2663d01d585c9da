import { optimizationFence, type Sql, sql } from '../database.ts'

/**
 * A crash may leave pages of zeros, which PostgreSQL treats as unused. They are damage only if an index points to them. The
 * extension pageinspect requires a superuser.
 */

const ZEROS = sql`decode(repeat('00', 8192), 'hex')`

interface Pages {
  readonly name: string
  readonly pages: number
}

export const createEmptyPages = sql`CREATE TEMPORARY TABLE empty_pages (name text, block bigint) ON COMMIT DROP`

export const recordEmptyPages = ({ name, pages }: Pages): Sql => sql`
  INSERT INTO empty_pages (name, block)
  SELECT ${name}, n FROM generate_series(0::bigint, ${pages}::bigint - 1) n WHERE get_raw_page(${name}, 'main', n) = ${ZEROS}`

export const emptyPageOfTable = (table: string, index: string): Sql =>
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

export const emptyPageOfGist = ({ name, pages }: Pages): Sql =>
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
export const emptyPageOfGin = ({ name, pages }: Pages): Sql =>
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
