import Type from 'typebox'

import { type Database, sql } from '../../database/database.ts'

const StartedGeneration = Type.Object({ is_new: Type.Boolean() })

/**
 * Starts a new generation of change counts if the database was restored since the last start, which invalidates all older ETags.
 * A data folder that was copied back cannot be told from the original, so every start of the embedded engine begins a generation.
 * Returns whether one began.
 */
export async function startGenerationAfterRestore(db: Database): Promise<boolean> {
  if (db.engine === 'embedded') await db.execute(sql`SELECT begin_cell_generation()`)
  const [row] = await db.query(StartedGeneration, sql`SELECT begin_cell_generation_after_restore() AS is_new`)
  return db.engine === 'embedded' || (row?.is_new ?? false)
}
