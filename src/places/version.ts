import { type Queryable, sql } from '../database/database.ts'
import { prepared } from '../database/prepared.ts'

/**
 * What the places are at: another one after whatever shows of any of them changed (docs/adr/0036). To be asked before what it stands for, of the
 * same reader. Undefined where nobody keeps it.
 */
export async function findPlacesVersion(reader: Queryable): Promise<string | undefined> {
  const [found] = await reader.query<{ version: string }>(
    prepared(sql`SELECT v.version::text AS version FROM table_versions v WHERE v.name = 'places'`),
  )
  return found?.version
}
