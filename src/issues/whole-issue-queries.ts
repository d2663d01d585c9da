import { type IssueVersion, readable, versionColumns } from '../issue-lifecycle/version.ts'
import { type CommentRow, commentsMaxBytes, commentSummary } from '../comments/queries.ts'
import { type Queryable, sql } from '../database/database.ts'
import { prepared } from '../database/prepared.ts'
import type { Viewer } from '../http/auth/access.ts'
import { detailColumns, type DetailsRow } from './details-queries.ts'
import { type IssueRow, ownColumns, related } from './queries.ts'
import { WHOLE_DETAILS_MAX } from './schema.ts'

export type WholeIssueRow = IssueRow &
  DetailsRow &
  IssueVersion & {
    /** The newest, oldest first. */
    readonly comments: readonly Omit<CommentRow, 'issue'>[]
  }

/** An issue with all its details and its version, by one statement, hence of one moment; undefined where there is none for the caller. */
export async function findWholeIssue(db: Queryable, id: number, viewer: Viewer | null): Promise<WholeIssueRow | undefined> {
  const newest = sql`,
    coalesce(json_agg(${commentSummary} ORDER BY c.created_at, c.id)
      FILTER (WHERE c.n <= ${WHOLE_DETAILS_MAX} AND c.bytes <= ${commentsMaxBytes}), '[]') AS comments`
  const [issue] = await db.query<WholeIssueRow>(
    prepared(sql`
    SELECT ${versionColumns(viewer)}, ${ownColumns}, ${related(viewer)}, ${detailColumns(viewer, WHOLE_DETAILS_MAX)},
      discussion.comment_count, discussion.comments
    ${readable(id, viewer, newest)}`),
  )
  return issue
}
