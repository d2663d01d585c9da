import { type Queryable, sql } from '../../database/database.ts'

/**
 * Begins another generation of the counts of changes where the database was restored since the last start, so that no ETag that was made before is right
 * again. Returns whether one began.
 */
export async function renewGenerationAfterRestore(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ began: boolean }>(sql`SELECT begin_epoch_of_cells_after_restore() AS began`)
  return row?.began ?? false
}
