import Type from 'typebox'

import { Count } from '../../database/columns.ts'
import { type Database, type Queryable, sql } from '../../database/database.ts'

/** This limits the changes of one batch, which holds its locks until it commits. */
const BATCH_MAX = 10_000
/**
 * A vacuum is worthwhile from this number of changes, because counts read dead rows too; it also invalidates plans made for an
 * empty table.
 */
const VACUUM_CHANGES_MIN = 200

/**
 * Rolls changes up into the cells in batches until none are left, the signal aborts or another process holds the lock. Each batch
 * is atomic.
 * @returns the number of changes
 */
export async function rollUpCellChanges(db: Database, signal?: AbortSignal): Promise<number> {
  let rolledUp = 0
  for (let batch = BATCH_MAX; batch === BATCH_MAX && !signal?.aborted;) {
    batch = await rollUpBatch(db)
    rolledUp += batch
  }
  // Autovacuum runs once a minute, which leaves 60,000 dead rows at a thousand writes per second. VACUUM cannot run inside a
  // transaction.
  if (rolledUp >= VACUUM_CHANGES_MIN) await db.execute(sql`VACUUM issue_changes`)
  return rolledUp
}

const RolledUpChanges = Type.Object({ rolled_up: Count })

async function rollUpBatch(db: Queryable): Promise<number> {
  const [row] = await db.query(RolledUpChanges, sql`SELECT roll_up_issue_cells(${BATCH_MAX}::integer) AS rolled_up`)
  return row?.rolled_up ?? 0
}

const PendingChanges = Type.Object({ pending: Count })

/** Returns the number of changes that are not rolled up yet, for monitoring. */
export async function countPendingCellChanges(db: Queryable): Promise<number> {
  const [row] = await db.query(PendingChanges, sql`SELECT count(*)::integer AS pending FROM issue_cell_changes u`)
  return row?.pending ?? 0
}
