import { type Database, type Sql, sql } from '../database/database.ts'
import type { AreaQuery } from '../geo/area-query.ts'
import type { Viewer } from '../http/access.ts'
import { findLastChange, lastRemoval, shared } from '../http/last-change.ts'
import { lastPlaceChange } from '../places/queries.ts'
import { lastRequestTypeChange } from '../reporting/queries.ts'

/** When anything that everybody may see in an issue last changed, and when an issue last went away. */
export const lastIssueChange: readonly Sql[] = [
  sql`(SELECT max(c.changed_at) FROM issues c)`,
  sql`(SELECT max(c.changed_at) FROM users c)`,
  lastRemoval('issues'),
  ...lastRequestTypeChange,
]

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
