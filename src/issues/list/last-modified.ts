import { type Database, type Queryable, type Sql, sql } from '../../database/database.ts'
import type { AreaQuery } from '../../geo/area-query.ts'
import type { Viewer } from '../../http/auth/access.ts'
import { findLastChange, lastRemoval, shared } from '../../http/caching/last-modified.ts'
import { lastPlaceChange } from '../../places/queries.ts'
import { lastRequestTypeChange } from '../../request-types/queries.ts'

/** When anything that everybody may see in an issue last changed, and when an issue last went away. */
export const lastIssueChange: readonly Sql[] = [
  sql`(SELECT max(c.changed_at) FROM issues c)`,
  sql`(SELECT max(c.changed_at) FROM users c)`,
  lastRemoval('issues'),
  ...lastRequestTypeChange,
]

/**
 * When an issue that everybody may see last changed or went away; before the first one, when the database was made. For people: unlike a Last-Modified
 * it may change once more within the same second.
 */
export async function findNewestChange(db: Queryable): Promise<string> {
  const [row] = await db.query<{ changed_at: string }>(sql`
    SELECT greatest((SELECT max(c.changed_at) FROM issues c), ${lastRemoval('issues')}, (SELECT min(m.finished_at) FROM _prisma_migrations m))
      AS changed_at`)
  if (!row) throw new Error('no moment was found')
  return row.changed_at
}

type LastChangeOfList = (query: AreaQuery, viewer: Viewer | null) => Promise<string | null>

/**
 * Gives the Last-Modified of a list of issues; ask for it before anything else of the answer is read. Null where it must not be told: to who
 * sees more than everybody the moments of what the others do not see would have to count, and what a geocoder or a watch area says has none.
 */
export function lastChangeOfLists(db: Database): LastChangeOfList {
  const everywhere = shared(() => findLastChange(db, lastIssueChange))
  const inPlace = shared(() => findLastChange(db, [...lastIssueChange, ...lastPlaceChange]))
  return async (query, viewer) => {
    if (query.address !== undefined || query.watcher_token !== undefined) return null
    if (viewer === null) return query.place_url === undefined ? everywhere() : inPlace()
    if (viewer.isModerator || viewer.organizationIds.length > 0) return null
    return findLastChange(db, [...lastIssueChange, ...lastPlaceChange], viewer)
  }
}
