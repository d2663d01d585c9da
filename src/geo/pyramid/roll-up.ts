import Type from 'typebox'

import { Count, type Database, type Queryable, sql } from '../../database/database.ts'

/** This limits the changes of one batch, which holds its locks until it commits. */
const BATCH_MAX = 10_000
/** Counts read dead rows too, and a vacuum also invalidates plans made for an empty table. */
const VACUUM_CHANGES_MIN = 1_000

/** Rolls changes up in atomic batches until none are left, the signal aborts or another process holds the lock. */
export async function rollUpCellChanges(db: Database, signal?: AbortSignal): Promise<number> {
  let rolledUp = 0
  for (let batch = BATCH_MAX; batch === BATCH_MAX && !signal?.aborted;) {
    batch = await rollUpBatch(db)
    rolledUp += batch
  }
  // Autovacuum runs once a minute, which leaves 60,000 dead rows at a thousand writes per second.
  if (rolledUp >= VACUUM_CHANGES_MIN) await db.execute(sql`VACUUM issue_changes`)
  return rolledUp
}

const RolledUpChanges = Type.Object({ rolled_up: Count })

async function rollUpBatch(db: Queryable): Promise<number> {
  const [row] = await db.query(sql.type(RolledUpChanges)`SELECT roll_up_issue_cells(${BATCH_MAX}::integer) AS rolled_up`)
  return row?.rolled_up ?? 0
}

const PendingChanges = Type.Object({ pending: Count })

/** Returns the number of rows of the change log: changes that are not rolled up yet. */
export async function countPendingCellChanges(db: Queryable): Promise<number> {
  const [row] = await db.query(sql.type(PendingChanges)`SELECT count(*)::integer AS pending FROM issue_cell_changes`)
  return row?.pending ?? 0
}

const StartedGeneration = Type.Object({ is_new: Type.Boolean() })

/**
 * Starts a generation of change counts and a log of changes after a restore, which invalidates older ETags and cursors, and returns whether one began. A data folder
 * that was copied back looks like the original, so every start of the embedded engine begins a generation.
 */
export async function startGenerationAfterRestore(db: Database): Promise<boolean> {
  if (db.engine === 'embedded') await db.execute(sql`SELECT begin_cell_generation(), begin_change_log()`)
  const [row] = await db.query(sql.type(StartedGeneration)`SELECT begin_cell_generation_after_restore() AS is_new`)
  return db.engine === 'embedded' || (row?.is_new ?? false)
}

/**
 * Starts a generation if the server has failed over, or was restored, since it was recorded: the new primary may lack changes that ETags
 * count. Calls `warn` then. If that fails, the next call tries again.
 */
export async function startGenerationAfterFailover(db: Database, warn: () => Promise<void>): Promise<void> {
  if (db.engine === 'embedded') return
  await db.transaction(async (tx) => {
    const [row] = await tx.query(sql.type(StartedGeneration)`
      SELECT EXISTS (SELECT FROM table_versions v WHERE v.name = 'cells of database') AND begin_cell_generation_after_restore() AS is_new`)
    if (row?.is_new) await warn()
  })
}
