import Type from 'typebox'

import { Timestamp } from '../../database/columns.ts'
import { type Database, type Queryable, type Sql, sql } from '../../database/database.ts'
import type { AreaQuery } from '../../geo/area-query.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { findLastChange, lastRemoval, shareConcurrentCalls } from '../../http/caching/last-modified.ts'
import { placesChangedAt } from '../../places/queries.ts'
import { lastRequestTypeChange } from '../../request-types/queries.ts'

/** The timestamps of the latest public change and of the latest removal of an issue. */
export const lastIssueChange: readonly Sql[] = [
  sql`(SELECT max(c.changed_at) FROM issues c)`,
  sql`(SELECT max(c.changed_at) FROM users c)`,
  lastRemoval('issues'),
  ...lastRequestTypeChange,
]

const NewestChange = Type.Object({ changed_at: Timestamp })

/**
 * Returns the time of the latest public change or removal, or the creation of the database if there is none. It is for display:
 * unlike Last-Modified it may be followed by another change within the same second.
 */
export async function findNewestChange(db: Queryable): Promise<string> {
  const [row] = await db.query(
    NewestChange,
    sql`
    SELECT greatest((SELECT max(c.changed_at) FROM issues c), ${lastRemoval('issues')}, (SELECT min(m.finished_at) FROM _prisma_migrations m))
      AS changed_at`,
  )
  if (!row) throw new Error('The query for the newest change returned no row')
  return row.changed_at
}

type FindLastModified = (query: AreaQuery, viewer: Viewer | null) => Promise<string | null>

/**
 * Returns a function for the Last-Modified of a list; call it before the response is read. The value is null for callers with
 * access to private data, whose changes would count too, and for areas from a geocoder or a watch area.
 */
export function createListLastModified(db: Database): FindLastModified {
  const everywhere = shareConcurrentCalls(() => findLastChange(db, lastIssueChange))
  const inPlace = shareConcurrentCalls(() => findLastChange(db, [...lastIssueChange, ...placesChangedAt]))
  return async (query, viewer) => {
    if (query.address !== undefined || query.watcher_token !== undefined) return null
    if (viewer === null) return query.place_url === undefined ? everywhere() : inPlace()
    if (viewer.isModerator || viewer.organizationIds.length > 0) return null
    return findLastChange(db, [...lastIssueChange, ...placesChangedAt], viewer)
  }
}
