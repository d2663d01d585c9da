import { join, type Sql, sql } from '../../database/database.ts'
import type { StatusFilter } from '../../geo/pyramid/totals.ts'
import { type Status, statuses } from '../../issue-lifecycle/status.ts'

/** The planner's estimate of the size of the table. */
export const estimatedTableRows = sql`(SELECT greatest(t.reltuples, 0)::integer FROM pg_class t WHERE t.oid = 'issues'::regclass)`

/** Returns whether these are all statuses of a partial index, which then needs no condition: all, or all except Archived. */
export const includesAllOfIndex = (selected: readonly Status[]) =>
  selected.length === statuses.length || (selected.length === statuses.length - 1 && !selected.includes('Archived'))

/**
 * Returns statuses as columns of the pyramid and as conditions. They are literals because a generic plan does not know values, and
 * the condition that excludes Archived matches the partial index of current cells, which is far smaller.
 */
export function toStatusFilter(selected: readonly Status[]): StatusFilter {
  const fromCells = (alias: Sql) =>
    join(
      selected.map((status) => sql`${alias}.${countColumns[status]}`),
      ' + ',
    )
  const isSelected = join(
    selected.map((status) => sql`i.status = ${statusLiterals[status]}`),
    ' OR ',
  )
  return {
    fromCells,
    indexCondition: selected.includes('Archived') ? sql`TRUE` : sql`i.status <> 'Archived'`,
    statusCondition: includesAllOfIndex(selected) ? sql`TRUE` : isSelected,
  }
}

/** Returns the columns of the pyramid that count the issues a scan for these statuses reads. */
export const scannedIssueCount =
  (selected: readonly Status[]): StatusFilter['fromCells'] =>
  (alias) =>
    selected.includes('Archived')
      ? sql`${alias}.open + ${alias}.acknowledged + ${alias}.closed + ${alias}.archived`
      : sql`${alias}.open + ${alias}.acknowledged + ${alias}.closed`

const countColumns = { Open: sql`open`, Acknowledged: sql`acknowledged`, Closed: sql`closed`, Archived: sql`archived` } as const
const statusLiterals = {
  Open: sql`'Open'`,
  Acknowledged: sql`'Acknowledged'`,
  Closed: sql`'Closed'`,
  Archived: sql`'Archived'`,
} as const
