import Type from 'typebox'

import { type Queryable, sql } from '../../database/database.ts'

const Generation = Type.Object({ began: Type.Boolean() })

/**
 * Starts a new generation of change counts if the database was restored since the last start, which invalidates all older ETags.
 * Returns whether it did.
 */
export async function renewGenerationAfterRestore(db: Queryable): Promise<boolean> {
  const [row] = await db.query(Generation, sql`SELECT begin_cell_generation_after_restore() AS began`)
  return row?.began ?? false
}
