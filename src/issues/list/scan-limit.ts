import { type Sql, sql } from '../../database/database.ts'

/** Rows that an index scan may always read, because issues of an area are not spread evenly over the index. */
const ROWS_MIN = 1_000
const EXPECTED_ROWS_FACTOR = 3

/** The planner's estimate of the size of the table `issues`, because counting it would read all of it. */
export const estimatedTableRows = sql`(SELECT greatest(pg_class.reltuples, 0)::integer FROM pg_class WHERE pg_class.oid = 'issues'::regclass)`

/** Returns how many rows an index scan may read for `rows` issues. A scan that finds too few of them is followed by a sort. */
export const scanLimit = (rows: number, { entries, tableRows }: { readonly entries: number; readonly tableRows: number }): number =>
  Math.ceil(ROWS_MIN + (EXPECTED_ROWS_FACTOR * rows * Math.max(tableRows, entries)) / entries)

/** Returns the same limit as an SQL double precision, from the columns of `total`, for a statement that counts and scans. */
export const scanLimitColumn = (rows: number, total: Sql): Sql =>
  sql`${ROWS_MIN}::float8 + ${EXPECTED_ROWS_FACTOR}::float8 * ${rows}::float8 * greatest(${total}."tableRows", ${total}.total_count) / greatest(${total}.total_count, 1)`
