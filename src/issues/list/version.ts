import Type, { type Static } from 'typebox'

import { nullable } from '../../database/columns.ts'
import { type Queryable, type Sql, sql } from '../../database/database.ts'
import { prepared } from '../../database/prepared.ts'
import type { Area } from '../../geo/area.ts'
import { cellsAround } from '../../geo/pyramid/area-cells.ts'
import { AreaVersion, areaVersion } from '../../geo/pyramid/totals.ts'

export const ListVersion = Type.Object({
  ...AreaVersion.properties,
  /** It differs whenever an issue around the area, its boundary, or a name of a place, user, request type or organisation has changed. */
  version: Type.String(),
  /** The ids of `people` with the revisions of their summaries, or null without people. */
  people: nullable(Type.String()),
})
export type ListVersion = Static<typeof ListVersion>

/**
 * Returns the version of a list for anonymous callers. Call it before the list is read, with the same reader: it may then be older than the
 * list, never newer.
 * @param people ids of the users whose name, points or picture the list shows; they are no part of the version of the cells, because a change
 * would touch too many cells
 */
export async function findListVersion(reader: Queryable, area: Area, people: readonly number[] = []): Promise<ListVersion> {
  const [found] = await reader.query(
    prepared(sql.type(ListVersion)`
    SELECT around.*, ${versionText(sql`around.changes`, area)} AS version, (
      SELECT string_agg(concat_ws(' ', u.id, u.summary_revision), ',' ORDER BY u.id) FROM users u WHERE u.id = ANY(${people}::integer[])) AS people
    FROM (${areaVersion(cellsAround(area))}) around`),
  )
  if (!found) throw new Error('An aggregate without groups returned no row')
  return found
}

/** Returns a text for the changes of cells. The version of places covers their boundaries, but not the areas of users. */
export function versionText(changes: Sql, area: Area): Sql {
  const watchArea =
    area.kind === 'watchArea'
      ? sql`, (SELECT md5(ST_AsBinary(w.area)) FROM watch_areas w WHERE w.id = ${area.watchAreaId}::integer)`
      : sql``
  return sql`concat_ws(' ', ${changes}, (SELECT string_agg(v.version::text, ' ' ORDER BY v.name) FROM table_versions v WHERE v.name IN ('names', 'places'))${watchArea})`
}
