import Type, { type Static } from 'typebox'

import { Count, Id, nullable } from '../database/columns.ts'
import { type Queryable, type Sql, sql } from '../database/database.ts'
import { isOneOf, prepared } from '../database/prepared.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { UserSummaryRow } from '../users/present.ts'
import { userSummary } from '../users/queries.ts'
import { worksFor } from '../issue-lifecycle/access.ts'
import { DETAILS_MAX } from './schema.ts'
import { callerColumns } from '../issue-lifecycle/version.ts'

export const DetailsRow = Type.Object({
  id: Id,
  assignee: nullable(UserSummaryRow),
  comment_count: Count,
  vote_count: Count,
  votes: Type.Array(Type.Object({ created_at: Type.String() })),
  questions: Type.Array(Type.Object({ question: Type.String(), answer: Type.String(), file: nullable(Type.String()) })),
  remote_id: nullable(Type.Integer()),
  remote_title: nullable(Type.String()),
  remote_status: nullable(Type.String()),
  is_assignee: Type.Boolean(),
  is_following: Type.Boolean(),
  is_reporter: Type.Boolean(),
  has_voted: Type.Boolean(),
})
export type DetailsRow = Static<typeof DetailsRow>

/**
 * Returns the fields that `details` adds to these issues, except the comments. Private answers are not even read for callers
 * without access.
 * @param votesMax maximum of votes for each issue, the newest
 */
export function listDetails(
  db: Queryable,
  ids: readonly number[],
  viewer: Viewer | null,
  votesMax = DETAILS_MAX,
): Promise<DetailsRow[]> {
  return db.query(
    DetailsRow,
    prepared(sql`
    SELECT i.id, ${detailsColumns(viewer, votesMax)},
      (SELECT count(*)::integer FROM comments c WHERE c.issue_id = i.id AND c.moderation_state = 'passed') AS comment_count
    FROM issues i
    WHERE ${isOneOf(sql`i.id`, ids)}
    ORDER BY i.id`),
  )
}

/** Returns the columns of a `DetailsRow` of issue `i`, except its id and its number of comments. */
export const detailsColumns = (viewer: Viewer | null, votesMax: number): Sql => sql`
  i.vote_count, i.remote_id, i.remote_title, i.remote_status,
  (SELECT ${userSummary(sql`a`)} FROM users a WHERE a.id = i.assignee_id) AS assignee,
  coalesce((SELECT json_agg(json_build_object('created_at', v.created_at) ORDER BY v.created_at, v.user_id)
    FROM (SELECT n.created_at, n.user_id FROM votes n WHERE n.issue_id = i.id
          ORDER BY n.created_at DESC, n.user_id DESC LIMIT ${votesMax}::integer) v), '[]') AS votes,
  coalesce((SELECT json_agg(json_build_object('question', q.question, 'answer', q.answer, 'file', q.value ->> 'file') ORDER BY q.position, q.id)
    FROM issue_answers q WHERE q.issue_id = i.id AND (NOT q.answer_kept_private OR ${worksFor(viewer)})), '[]') AS questions,
  ${callerColumns(viewer)}`
