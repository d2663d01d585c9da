import { join, sql } from '../../database/database.ts'
import type { CellExpression, StatusFilter } from '../../geo/pyramid/totals.ts'
import { type Status, statuses } from '../../issue-lifecycle/status.ts'

/** Returns whether these are all statuses, or all except Archived. A partial index has exactly these issues, so no condition on the status is needed. */
export const includesAllIndexedStatuses = (selected: readonly Status[]) =>
  selected.length === statuses.length || (selected.length === statuses.length - 1 && !selected.includes('Archived'))

/**
 * Statuses are literals, because a generic plan does not know the values of parameters. Only with literals can the planner use the partial index
 * without archived issues, which is far smaller.
 */
export function toStatusFilter(selected: readonly Status[]): StatusFilter {
  const fromCells: CellExpression = (alias) =>
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
    statusCondition: includesAllIndexedStatuses(selected) ? sql`TRUE` : isSelected,
  }
}

/** Returns the columns of the pyramid that count candidates: the issues that a scan for these statuses reads. */
export const candidateCount =
  (selected: readonly Status[]): CellExpression =>
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
