import { join, type Sql, sql } from '../../database/database.ts'
import type { StatusFilter } from '../../geo/pyramid/totals.ts'
import { type Status, statuses } from '../../issue-lifecycle/status.ts'

/** The planner's estimate of the size of the table. */
export const inTable = sql`(SELECT greatest(t.reltuples, 0)::integer FROM pg_class t WHERE t.oid = 'issues'::regclass)`

/**
 * Returns statuses as columns of the pyramid and as conditions. They are literals because a generic plan does not know values, and
 * the condition that excludes Archived matches the partial index of current cells, which is far smaller.
 */
export function wantedOf(wanted: readonly Status[]): StatusFilter {
  const fromCells = (of: Sql) =>
    join(
      wanted.map((status) => sql`${of}.${COLUMN[status]}`),
      ' + ',
    )
  const isOne = join(
    wanted.map((status) => sql`i.status = ${WORD[status]}`),
    ' OR ',
  )
  const isAll = wanted.length === statuses.length || (wanted.length === statuses.length - 1 && !wanted.includes('Archived'))
  return {
    fromCells,
    indexCondition: wanted.includes('Archived') ? sql`TRUE` : sql`i.status <> 'Archived'`,
    statusCondition: isAll ? sql`TRUE` : isOne,
  }
}

/** Returns the columns of the pyramid that count the issues a scan for these statuses reads. */
export const heldOf =
  (wanted: readonly Status[]): StatusFilter['fromCells'] =>
  (of) =>
    wanted.includes('Archived')
      ? sql`${of}.open + ${of}.acknowledged + ${of}.closed + ${of}.archived`
      : sql`${of}.open + ${of}.acknowledged + ${of}.closed`

const COLUMN = { Open: sql`open`, Acknowledged: sql`acknowledged`, Closed: sql`closed`, Archived: sql`archived` } as const
const WORD = { Open: sql`'Open'`, Acknowledged: sql`'Acknowledged'`, Closed: sql`'Closed'`, Archived: sql`'Archived'` } as const
