import { type Database, type Queryable, sql } from '../../database/database.ts'

/** So many changes are added up at once; more would only hold their locks for longer. */
const BATCH_MAX = 10_000
/** From so many on, what they left behind is cleared away, since every count would read past it; and plans made for an empty table end. */
const WORTH_VACUUM = 200

/**
 * Adds changes of the pyramid up to its cells, batch by batch, until there are none, `stopping` says so, or another process is at it. Cut off
 * anywhere it has added a batch and removed it, or neither.
 * @returns how many changes there were
 */
export async function foldCellChanges(db: Database, stopping?: AbortSignal): Promise<number> {
  let folded = 0
  for (let batch = BATCH_MAX; batch === BATCH_MAX && !stopping?.aborted;) {
    batch = await foldBatch(db)
    folded += batch
  }
  // Autovacuum looks once a minute, which at a thousand writes a second is 60,000 dead rows. It cannot run inside a transaction.
  if (folded >= WORTH_VACUUM) await db.query(sql`VACUUM issue_changes`)
  return folded
}

async function foldBatch(db: Queryable): Promise<number> {
  const [row] = await db.query<{ folded: number }>(sql`SELECT fold_issue_cells(${BATCH_MAX}::integer) AS folded`)
  return row?.folded ?? 0
}

/** How many changes wait to be added up, for those who watch the service. */
export async function countCellChanges(db: Queryable): Promise<number> {
  const [row] = await db.query<{ waiting: number }>(sql`SELECT count(*)::integer AS waiting FROM issue_cell_changes u`)
  return row?.waiting ?? 0
}
