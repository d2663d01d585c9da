import Type from 'typebox'

import { type Queryable, sql } from '../database/database.ts'
import { prepared } from '../database/prepared.ts'

const Version = Type.Object({ version: Type.String() })

/** Returns a version that changes with every visible change of a place. Call it before the read, with the same reader. */
export async function findPlacesVersion(reader: Queryable): Promise<string | undefined> {
  // This query runs for each request: Prisma's client takes 0.38 ms of processor time instead of 0.04.
  const [found] = await reader.query(
    Version,
    prepared(sql`SELECT v.version::text AS version FROM table_versions v WHERE v.name = 'places'`),
  )
  return found?.version
}
