import { type Queryable, type Sql, sql } from '../database/database.ts'
import { isOneOf, prepared } from '../database/prepared.ts'
import type { Viewer } from '../http/auth/access.ts'
import type { UserSummaryRow } from '../users/present.ts'
import { userSummary } from '../users/queries.ts'
import { worksFor } from '../issue-lifecycle/access.ts'
import { DETAILS_MAX } from './schema.ts'
import { callerColumns } from '../issue-lifecycle/version.ts'

export interface DetailsRow {
  readonly id: number
  readonly assignee: UserSummaryRow | null
  readonly comment_count: number
  readonly vote_count: number
  readonly votes: readonly { readonly created_at: string }[]
  /** `file` is the name of the picture that was the answer, else null. */
  readonly questions: readonly { readonly question: string; readonly answer: string; readonly file: string | null }[]
  readonly remote_id: number | null
  readonly remote_title: string | null
  readonly remote_status: string | null
  readonly is_assignee: boolean
  readonly is_following: boolean
  readonly is_reporter: boolean
  readonly has_voted: boolean
}

/**
 * What `details` adds to these issues, but for the comments. Answers that are kept private are not even read for others.
 * @param votesMax votes of each issue, the newest
 */
export function listDetails(
  db: Queryable,
  ids: readonly number[],
  viewer: Viewer | null,
  votesMax = DETAILS_MAX,
): Promise<DetailsRow[]> {
  return db.query<DetailsRow>(
    prepared(sql`
    SELECT i.id, ${detailColumns(viewer, votesMax)},
      (SELECT count(*)::integer FROM comments c WHERE c.issue_id = i.id AND c.moderation_state = 'passed') AS comment_count
    FROM issues i
    WHERE ${isOneOf(sql`i.id`, ids)}
    ORDER BY i.id`),
  )
}

/** The columns of a `DetailsRow` of issue `i`, but for its id and the number of its comments. */
export const detailColumns = (viewer: Viewer | null, votesMax: number): Sql => sql`
  i.vote_count, i.remote_id, i.remote_title, i.remote_status,
  (SELECT ${userSummary(sql`a`)} FROM users a WHERE a.id = i.assignee_id) AS assignee,
  coalesce((SELECT json_agg(json_build_object('created_at', v.created_at) ORDER BY v.created_at, v.user_id)
    FROM (SELECT n.created_at, n.user_id FROM votes n WHERE n.issue_id = i.id
          ORDER BY n.created_at DESC, n.user_id DESC LIMIT ${votesMax}::integer) v), '[]') AS votes,
  coalesce((SELECT json_agg(json_build_object('question', q.question, 'answer', q.answer, 'file', q.value ->> 'file') ORDER BY q.position, q.id)
    FROM issue_answers q WHERE q.issue_id = i.id AND (NOT q.answer_kept_private OR ${worksFor(viewer)})), '[]') AS questions,
  ${callerColumns(viewer)}`
