import Type from 'typebox'

import { sql, type Database } from '../../../src/database/database.ts'

const DECLINED = 'Begun without the demo'

const DatabaseUse = Type.Object({ used: Type.Boolean(), declined: Type.Boolean() })

/**
 * Returns whether a starting server adds the demo; by default if the embedded database is empty and no earlier start had DEMO=off.
 * The rows decide, because an earlier start may have been killed before it added the demo.
 */
export async function shouldAddDemo(database: Database, wanted: boolean | undefined): Promise<boolean> {
  if (wanted === true) return true
  if (database.engine !== 'embedded') return false
  const [found] = await database.query(sql.type(DatabaseUse)`
    SELECT EXISTS (SELECT FROM users) OR EXISTS (SELECT FROM places) OR EXISTS (SELECT FROM issues) AS used,
           coalesce(obj_description('places'::regclass, 'pg_class') = ${DECLINED}, false) AS declined`)
  if (found?.used !== false || found.declined) return false
  if (wanted === undefined) return true
  await database.executeScript(`COMMENT ON TABLE places IS '${DECLINED}'`)
  return false
}
