import Type from 'typebox'

import { sql, type Database } from '../../../src/database/database.ts'

const DECLINED = 'Begun without the demo'

const DatabaseUse = Type.Object({ used: Type.Boolean(), declined: Type.Boolean() })

/**
 * Whether a starting server has to add the demo. Undecided, it comes only into a new embedded database: one that holds nothing
 * yet and was never begun without the demo. A start that was killed before the demo was there leaves such a database, so the
 * next start adds it; asking whether this very process made the database would leave it empty for ever.
 */
export async function demoIsDue(database: Database, wanted: boolean | undefined): Promise<boolean> {
  if (wanted === true) return true
  if (database.engine !== 'embedded') return false
  const [found] = await database.query(
    DatabaseUse,
    sql`
      SELECT EXISTS (SELECT FROM users) OR EXISTS (SELECT FROM places) OR EXISTS (SELECT FROM issues) AS used,
             coalesce(obj_description('places'::regclass, 'pg_class') = ${DECLINED}, false) AS declined`,
  )
  if (found?.used !== false || found.declined) return false
  if (wanted === undefined) return true
  await database.executeScript(`COMMENT ON TABLE places IS '${DECLINED}'`)
  return false
}
