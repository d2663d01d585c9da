import { type Sql, sql } from '../database.ts'

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
      SELECT z.block, format('%s refers to it', ${index}::text) AS reason
      FROM generate_series(1::bigint, pg_relation_size(${index}::regclass) / 8192 - 1) n
      CROSS JOIN LATERAL bt_page_stats(${index}, n::integer) s
      CROSS JOIN LATERAL bt_page_items(${index}, n::integer) i
      CROSS JOIN LATERAL unnest(coalesce(i.tids, ARRAY[i.htid])) t (tid)
      JOIN empty_pages z ON z.name = ${table} AND z.block = ${blockOf(sql`t.tid`)}
      -- The first item of a leaf with a right sibling is the high key.
      WHERE s.type = 'l' AND (i.itemoffset > 1 OR s.btpo_next = 0)`,
  )

export const emptyPageOfGist = ({ name, pages }: Pages): Sql =>
  emptyPage(
    name,
    sql`
      SELECT z.block, 'it is the root' AS reason FROM empty_pages z WHERE z.name = ${name} AND z.block = 0
      UNION ALL
      SELECT z.block, format('block %s refers to it', n)
      FROM generate_series(0::bigint, ${pages}::bigint - 1) n
      CROSS JOIN LATERAL get_raw_page(${name}, 'main', n) page
      CROSS JOIN LATERAL gist_page_opaque_info(page) o
      CROSS JOIN LATERAL gist_page_items_bytea(page) i
      JOIN empty_pages z ON z.name = ${name} AND z.block = ${blockOf(sql`i.ctid`)}
      WHERE NOT 'leaf' = ANY (o.flags)`,
  )

/** References to GIN pages cannot be read, so harmless empty pages of a crash are reported too; REINDEX removes them. */
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

/** A writer may have used the page meanwhile, so it is read again. */
const emptyPage = (name: string, used: Sql): Sql => sql`
  SELECT format('block %s contains only zeros, and %s', u.block, u.reason) AS found
  FROM (SELECT l.block, l.reason FROM (${used}) l WHERE EXISTS (SELECT FROM empty_pages e WHERE e.name = ${name}) OFFSET 0) u
  WHERE get_raw_page(${name}, 'main', u.block) = ${ZEROS}
  LIMIT 1`

/** The type tid has no operator for its block number. */
const blockOf = (tid: Sql): Sql => sql`(${tid}::text::point)[0]::bigint`
