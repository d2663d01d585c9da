import Type from 'typebox'

import { type Queryable, sql } from '../../database/database.ts'

const StartedGeneration = Type.Object({ is_new: Type.Boolean() })

/**
 * Starts a new generation of change counts if the database was restored since the last start, which invalidates all older ETags.
 * Returns whether it did.
 */
export async function startGenerationAfterRestore(db: Queryable): Promise<boolean> {
  const [row] = await db.query(StartedGeneration, sql`SELECT begin_cell_generation_after_restore() AS is_new`)
  return row?.is_new ?? false
}
