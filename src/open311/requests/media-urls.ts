import Type from 'typebox'

import { Id } from '../../database/columns.ts'
import { type Queryable, sql } from '../../database/database.ts'
import type { IssueRow } from '../../issues/queries.ts'
import { findMediaUrlError } from '../reports/media-url.ts'

const MediaUrlRow = Type.Object({ issue_id: Id, media_url: Type.String() })

/** Returns the first reported `media_url` with an allowed host of the issues without a picture, by their id. */
export async function findMediaUrls(
  db: Queryable,
  issues: readonly IssueRow[],
  hosts: readonly string[],
): Promise<ReadonlyMap<number, string>> {
  const ids = issues.filter(({ images }) => images.length === 0).map(({ id }) => id)
  if (ids.length === 0 || hosts.length === 0) return new Map()
  const rows = await db.query(sql.type(MediaUrlRow)`
    SELECT a.issue_id, a.value ->> 'media_url' AS media_url FROM issue_answers a
    WHERE a.issue_id = ANY(${ids}::integer[]) AND a.value ->> 'media_url' IS NOT NULL AND NOT a.answer_kept_private
    ORDER BY a.position DESC, a.id DESC`)
  const allowed = rows.filter(({ media_url }) => findMediaUrlError(media_url, hosts) === undefined)
  // The first link comes last and replaces the others.
  return new Map(allowed.map(({ issue_id, media_url }) => [issue_id, media_url]))
}
