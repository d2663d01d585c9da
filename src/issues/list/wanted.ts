import { join, type Sql, sql } from '../../database/database.ts'
import type { Wanted } from '../../geo/pyramid/totals.ts'
import { type Status, statuses } from '../../issue-lifecycle/status.ts'

/** About how many issues there are at all, as the planner believes. */
export const inTable = sql`(SELECT greatest(t.reltuples, 0)::integer FROM pg_class t WHERE t.oid = 'issues'::regclass)`

/**
 * Statuses as columns of the pyramid and as a condition. The words stand in it, since a kept plan knows no values; and that none is Archived is said
 * as the index of current cells says it, in which old cities have far fewer.
 */
export function wantedOf(wanted: readonly Status[]): Wanted {
  const rolledUp = (of: Sql) =>
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
    rolledUp,
    inIndex: wanted.includes('Archived') ? sql`TRUE` : sql`i.status <> 'Archived'`,
    isWanted: isAll ? sql`TRUE` : isOne,
  }
}

/** What a scan for these statuses goes through, as columns of the pyramid. */
export const heldOf =
  (wanted: readonly Status[]): Wanted['rolledUp'] =>
  (of) =>
    wanted.includes('Archived')
      ? sql`${of}.open + ${of}.acknowledged + ${of}.closed + ${of}.archived`
      : sql`${of}.open + ${of}.acknowledged + ${of}.closed`

const COLUMN = { Open: sql`open`, Acknowledged: sql`acknowledged`, Closed: sql`closed`, Archived: sql`archived` } as const
const WORD = { Open: sql`'Open'`, Acknowledged: sql`'Acknowledged'`, Closed: sql`'Closed'`, Archived: sql`'Archived'` } as const
