import Type from 'typebox'

import { nullable } from '../../database/columns.ts'
import { type Queryable, sql } from '../../database/database.ts'
import { prepared } from '../../database/prepared.ts'
import type { Area } from '../../geo/area.ts'
import { findListVersion } from '../../issues/list/version.ts'

const TableVersions = Type.Object({ versions: nullable(Type.String()) })

/**
 * Returns a text that differs whenever features of issues in the area may have changed for anonymous callers; undefined if the area has no
 * cells. Call it before the features are read, with the same reader, so that it is never newer.
 */
export async function findIssuesVersion(reader: Queryable, area: Area): Promise<string | undefined> {
  const [found, [tables]] = await Promise.all([
    findListVersion(reader, area, null),
    reader.query(
      TableVersions,
      prepared(sql`
        SELECT string_agg(v.version::text, ',' ORDER BY v.name) AS versions FROM table_versions v WHERE v.name IN ('names', 'places')`),
    ),
  ])
  return found && JSON.stringify([found.version, tables])
}
