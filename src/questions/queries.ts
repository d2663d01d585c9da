import { type Sql, sql } from '../database/database.ts'
import type { Viewer } from '../http/access.ts'

/** What is held or rejected exists for its asker and for moderators only. */
export function readableBy(viewer: Viewer | null): Sql {
  if (!viewer) return sql`q.moderation_state = 'passed'`
  return viewer.isModerator ? sql`TRUE` : sql`(q.moderation_state = 'passed' OR q.asker_id = ${viewer.id})`
}
