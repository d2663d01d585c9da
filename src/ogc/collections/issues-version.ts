import type { Queryable } from '../../database/database.ts'
import type { Area } from '../../geo/area.ts'
import { findListVersion, findNamesVersion } from '../../issues/list/version.ts'

/**
 * Returns a text that differs whenever features of issues in the area may have changed for anonymous callers; undefined if the area has no
 * cells. Call it before the features are read, with the same reader, so that it is never newer.
 */
export async function findIssuesVersion(reader: Queryable, area: Area): Promise<string | undefined> {
  const [found, names] = await Promise.all([findListVersion(reader, area, null), findNamesVersion(reader)])
  return found && JSON.stringify([found.version, names])
}
