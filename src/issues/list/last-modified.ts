import Type from 'typebox'

import { Timestamp } from '../../database/columns.ts'
import { type Database, type Queryable, type Sql, sql } from '../../database/database.ts'
import type { AreaQuery } from '../../geo/area-query.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { findLastModified, lastRemoval, coalesceCalls } from '../../http/caching/last-modified.ts'
import { placeChangeTimes } from '../../places/queries.ts'
import { requestTypeChangeTimes } from '../../request-types/queries.ts'

/** The timestamps are those of the latest change and removal of what a list shows: issues, users, request types, organisations. */
export const issueChangeTimes: readonly Sql[] = [
  sql`(SELECT max(i.public_change_at) FROM issues i)`,
  sql`(SELECT max(u.summary_changed_at) FROM users u)`,
  lastRemoval('issues'),
  ...requestTypeChangeTimes,
]

const LatestIssueChange = Type.Object({ changed_at: Timestamp })

/** Returns the latest public change or the creation of the database, for display: a change may follow within the same second. */
export async function findLatestIssueChange(db: Queryable): Promise<string> {
  const [row] = await db.query(
    LatestIssueChange,
    sql`
    SELECT greatest((SELECT max(i.public_change_at) FROM issues i), ${lastRemoval('issues')}, (SELECT min(migration.finished_at) FROM _prisma_migrations migration))
      AS changed_at`,
  )
  if (!row) throw new Error('The query for the latest change returned no row')
  return row.changed_at
}

/** @param showsPlaces whether the response names the places that cover the issues */
type FindListLastModified = (query: AreaQuery, viewer: Viewer | null, showsPlaces?: boolean) => Promise<string | null>

/**
 * Returns a function that finds the Last-Modified of a list, to be called before the list is read. It returns null for moderators and members
 * of organisations, because the timestamps do not include changes of private data, and for an address or a watch area, whose own changes
 * have no timestamp.
 */
export function createListLastModifiedFinder(db: Database): FindListLastModified {
  const findWithoutPlaces = coalesceCalls(() => findLastModified(db, issueChangeTimes))
  const findWithPlaces = coalesceCalls(() => findLastModified(db, [...issueChangeTimes, ...placeChangeTimes]))
  return async (query, viewer, showsPlaces = false) => {
    if (query.address !== undefined || query.watcher_token !== undefined) return null
    if (viewer === null) return query.place_url === undefined && !showsPlaces ? findWithoutPlaces() : findWithPlaces()
    if (viewer.isModerator || viewer.organizationIds.length > 0) return null
    return findLastModified(db, [...issueChangeTimes, ...placeChangeTimes], viewer)
  }
}
