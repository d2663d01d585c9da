import Type from 'typebox'

import { Count } from '../../database/columns.ts'
import { type Database, type Queryable, sql } from '../../database/database.ts'

/** This limits the changes of one batch, which holds its locks until it commits. */
const BATCH_MAX = 10_000
/**
 * A vacuum is worthwhile from this number of changes, because counts read dead rows too; it also invalidates plans made for an
 * empty table.
 */
const WORTH_VACUUM = 200

/**
 * Rolls changes up into the cells in batches until none are left, the signal aborts or another process holds the lock. Each batch
 * is atomic.
 * @returns the number of changes
 */
export async function foldCellChanges(db: Database, stopping?: AbortSignal): Promise<number> {
  let folded = 0
  for (let batch = BATCH_MAX; batch === BATCH_MAX && !stopping?.aborted;) {
    batch = await foldBatch(db)
    folded += batch
  }
  // Autovacuum runs once a minute, which leaves 60,000 dead rows at a thousand writes per second. VACUUM cannot run inside a
  // transaction.
  if (folded >= WORTH_VACUUM) await db.execute(sql`VACUUM issue_changes`)
  return folded
}

const FoldedChanges = Type.Object({ folded: Count })

async function foldBatch(db: Queryable): Promise<number> {
  const [row] = await db.query(FoldedChanges, sql`SELECT roll_up_issue_cells(${BATCH_MAX}::integer) AS folded`)
  return row?.folded ?? 0
}

const WaitingChanges = Type.Object({ waiting: Count })

/** Returns the number of changes that are not rolled up yet, for monitoring. */
export async function countCellChanges(db: Queryable): Promise<number> {
  const [row] = await db.query(WaitingChanges, sql`SELECT count(*)::integer AS waiting FROM issue_cell_changes u`)
  return row?.waiting ?? 0
}
