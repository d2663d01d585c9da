import Type, { type Static } from 'typebox'

import { Id, nullable, stringEnum, type PrismaHandle, type Queryable, sql, prepared } from '../database/database.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { can } from '../issue-lifecycle/access.ts'
import { moderationStates } from '../issue-lifecycle/status.ts'
import { commentsMaxBytes, CommentSummaryRow, commentSummary } from '../comments/queries.ts'
import { IssueVersion, readableIssueFrom, issueVersionColumns } from '../issue-lifecycle/version.ts'
import { IssueRow, issueColumns, relatedColumns } from './queries.ts'
import { ISSUE_DETAILS_MAX } from './schema.ts'
import { DetailsRow, detailsColumns } from './details-queries.ts'

/** Returns undefined for an issue that does not exist. Check the caller's rights first. */
export async function findModerationState(db: PrismaHandle, id: number) {
  const issue = await db.prisma.issue.findUnique({ where: { id }, select: { moderation_state: true } })
  return issue?.moderation_state
}

const ReportState = Type.Object({
  moderation_state: stringEnum(moderationStates),
  anonymous: Type.Boolean(),
  is_own: Type.Boolean(),
  /** The held item of the moderation queue. */
  item_id: nullable(Id),
  /** The text of the moderator who rejected the report. */
  reason: nullable(Type.String()),
})
export type ReportState = Static<typeof ReportState>

/** Returns undefined for callers other than the reporter and, if the report is not public, its moderators. */
export const findReportState = (db: Queryable, id: number, viewer: Viewer): Promise<ReportState | undefined> =>
  db.query(sql.first(ReportState)`
    SELECT i.moderation_state, i.anonymous, coalesce(i.reporter_id = ${viewer.id}, FALSE) AS is_own, held.id AS item_id,
      (SELECT rejected.rejection_reason FROM moderation_items rejected
        WHERE rejected.subject_type = 'issue' AND rejected.subject_id = i.id AND rejected.state = 'rejected' ORDER BY rejected.id DESC LIMIT 1) AS reason
    FROM issues i
    LEFT JOIN moderation_items held ON held.subject_type = 'issue' AND held.subject_id = i.id AND held.state = 'held'
    WHERE i.id = ${id} AND (i.reporter_id = ${viewer.id} OR (i.moderation_state <> 'passed' AND ${can(viewer, 'moderate')}))`)

const ExtendedIssueRow = Type.Object({
  ...IssueRow.properties,
  ...DetailsRow.properties,
  ...IssueVersion.properties,
  comments: Type.Array(CommentSummaryRow),
})
type ExtendedIssueRow = Static<typeof ExtendedIssueRow>

/** Returns an issue with all details and its version from one snapshot; undefined if the caller may not read it. */
export async function findExtendedIssue(db: Queryable, id: number, viewer: Viewer | null): Promise<ExtendedIssueRow | undefined> {
  const newestComments = sql`,
    coalesce(json_agg(${commentSummary} ORDER BY c.created_at, c.id)
      FILTER (WHERE c.n <= ${ISSUE_DETAILS_MAX} AND c.bytes <= ${commentsMaxBytes}), '[]') AS comments`
  return db.query(
    prepared(sql.first(ExtendedIssueRow)`
    SELECT ${issueVersionColumns(viewer)}, ${issueColumns}, ${relatedColumns(viewer)}, ${detailsColumns(viewer, ISSUE_DETAILS_MAX)},
      discussion.comment_count, discussion.comments
    ${readableIssueFrom(id, viewer, newestComments)}`),
  )
}
