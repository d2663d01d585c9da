import Type, { type Static } from 'typebox'

import { IssueVersion, readableIssueFrom, issueVersionColumns } from '../issue-lifecycle/version.ts'
import { commentsMaxBytes, CommentSummaryRow, commentSummary } from '../comments/queries.ts'
import { type Queryable, sql } from '../database/database.ts'
import { prepared } from '../database/prepared.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { detailsColumns, DetailsRow } from './details-queries.ts'
import { IssueRow, issueColumns, relatedColumns } from './queries.ts'
import { ISSUE_DETAILS_MAX } from './schema.ts'

const ExtendedIssueRow = Type.Object({
  ...IssueRow.properties,
  ...DetailsRow.properties,
  ...IssueVersion.properties,
  comments: Type.Array(CommentSummaryRow),
})
export type ExtendedIssueRow = Static<typeof ExtendedIssueRow>

/** Returns an issue with all details and its version from one snapshot; undefined if the caller may not read it. */
export async function findExtendedIssue(db: Queryable, id: number, viewer: Viewer | null): Promise<ExtendedIssueRow | undefined> {
  const newestComments = sql`,
    coalesce(json_agg(${commentSummary} ORDER BY c.created_at, c.id)
      FILTER (WHERE c.n <= ${ISSUE_DETAILS_MAX} AND c.bytes <= ${commentsMaxBytes}), '[]') AS comments`
  const [issue] = await db.query(
    prepared(sql.type(ExtendedIssueRow)`
    SELECT ${issueVersionColumns(viewer)}, ${issueColumns}, ${relatedColumns(viewer)}, ${detailsColumns(viewer, ISSUE_DETAILS_MAX)},
      discussion.comment_count, discussion.comments
    ${readableIssueFrom(id, viewer, newestComments)}`),
  )
  return issue
}
