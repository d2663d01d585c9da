import Type from 'typebox'

import { Timestamp } from '../../database/columns.ts'
import { type Database, type Queryable, sql } from '../../database/database.ts'
import { lastRemoval } from '../../http/caching/last-modified.ts'
import type { CachedPage } from './etag.ts'

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

const MINUTE_MS = 60_000

/**
 * Returns the cached page with its Last-Modified, the second after which this process has seen no other version of the list. It is sent once it is a
 * minute old, because the clocks of several processes differ, and not with replicas, from which another process may still read an older version.
 */
export function withLastModified<Page extends CachedPage>(
  page: Page | undefined,
  { readsMayLag }: Pick<Database, 'readsMayLag'>,
  now: Date,
) {
  if (!page || readsMayLag) return page
  const nextSecond = new Date(Math.floor(page.readAt.getTime() / 1_000) * 1_000 + 1_000)
  return { ...page, lastModified: now.getTime() - nextSecond.getTime() < MINUTE_MS ? null : nextSecond.toISOString() }
}
