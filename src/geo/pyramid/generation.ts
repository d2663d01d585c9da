import Type from 'typebox'

import { type Database, sql } from '../../database/database.ts'

const StartedGeneration = Type.Object({ is_new: Type.Boolean() })

/**
 * Starts a generation of change counts after a restore, which invalidates older ETags, and returns whether one began. A data folder
 * that was copied back looks like the original, so every start of the embedded engine begins a generation.
 */
export async function startGenerationAfterRestore(db: Database): Promise<boolean> {
  if (db.engine === 'embedded') await db.execute(sql`SELECT begin_cell_generation()`)
  const [row] = await db.query(sql.type(StartedGeneration)`SELECT begin_cell_generation_after_restore() AS is_new`)
  return db.engine === 'embedded' || (row?.is_new ?? false)
}
