import Type, { type Static } from 'typebox'

import { Count, Id, nullable, type Queryable, type Sql, sql, isOneOf, prepared, translations } from '../database/database.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { can, callerColumns, mayReadPrivateData, assigneeDepartment } from '../issue-lifecycle/access.ts'
import type { QuestionTexts } from '../request-types/schema.ts'
import { UserSummaryRow, userSummary } from '../users/present.ts'
import { DETAILS_MAX } from './schema.ts'

const AnswerRow = Type.Object({
  question: Type.String(),
  answer: Type.String(),
  value: Type.Unknown(),
  /** The question has both; null if it is deleted or has other words by now. */
  translations: translations<QuestionTexts>(),
  select_values: nullable(Type.Array(Type.Object({ key: Type.String(), name: Type.String() }))),
})
export type AnswerRow = Static<typeof AnswerRow>

export const DetailsRow = Type.Object({
  id: Id,
  assignee: nullable(UserSummaryRow),
  /** The organisation that the caller sees in the place of the assignee. */
  assignee_department: nullable(Type.Object({ name: Type.String() })),
  comment_count: Count,
  vote_count: Count,
  votes: Type.Array(Type.Object({ created_at: Type.String() })),
  questions: Type.Array(AnswerRow),
  remote_id: nullable(Type.Integer()),
  remote_title: nullable(Type.String()),
  remote_status: nullable(Type.String()),
  previous_issue: nullable(Id),
  /** The last closing; null if the issue is open. */
  closing: nullable(
    Type.Object({ passed_on_to: nullable(Type.String()), duplicate_of: nullable(Id), fixed: Count, not_fixed: Count }),
  ),
  is_assignee: Type.Boolean(),
  is_following: Type.Boolean(),
  is_reporter: Type.Boolean(),
  has_voted: Type.Boolean(),
})
export type DetailsRow = Static<typeof DetailsRow>

/** Private answers are not even read for callers without access. `votesMax` limits the votes of each issue to the newest. */
export function listDetails(
  db: Queryable,
  ids: readonly number[],
  viewer: Viewer | null,
  votesMax = DETAILS_MAX,
): Promise<DetailsRow[]> {
  return db.query(
    prepared(sql.type(DetailsRow)`
    SELECT i.id, ${detailsColumns(viewer, votesMax)},
      (SELECT count(*)::integer FROM comments WHERE comments.issue_id = i.id AND comments.moderation_state = 'passed') AS comment_count
    FROM issues i
    WHERE ${isOneOf(sql`i.id`, ids)}
    ORDER BY i.id`),
  )
}

export const detailsColumns = (viewer: Viewer | null, votesMax: number): Sql => sql`
  i.vote_count, i.remote_id, i.remote_title, i.remote_status,
  (SELECT ${userSummary(sql`users`)} FROM users WHERE users.id = i.assignee_id) AS assignee,
  (SELECT json_build_object('name', department.name) FROM organizations department WHERE department.id = ${assigneeDepartment(viewer)}) AS assignee_department,
  coalesce((SELECT json_agg(json_build_object('created_at', newest_votes.created_at) ORDER BY newest_votes.created_at, newest_votes.user_id)
    FROM (SELECT votes.created_at, votes.user_id FROM votes WHERE votes.issue_id = i.id
          ORDER BY votes.created_at DESC, votes.user_id DESC LIMIT ${votesMax}::integer) newest_votes), '[]') AS votes,
  coalesce((SELECT json_agg(json_build_object('question', answers.question, 'answer', answers.answer, 'value', answers.value,
      'translations', q.translations, 'select_values', q.select_values)
      ORDER BY answers.position, answers.id)
    FROM issue_answers answers
    LEFT JOIN request_type_questions q ON q.id = answers.question_id AND q.question = answers.question
    WHERE answers.issue_id = i.id AND (NOT answers.answer_kept_private OR ${mayReadPrivateData(viewer)}
      OR (answers.is_contact AND ${can(viewer, 'read_issues')}))), '[]') AS questions,
  (SELECT json_build_object('passed_on_to', CASE WHEN why.moderation_state = 'passed' THEN s.passed_on_to END, 'duplicate_of', original.id,
      'fixed', (SELECT count(*) FROM closing_answers a WHERE a.status_change_id = s.id AND a.is_fixed),
      'not_fixed', (SELECT count(*) FROM closing_answers a WHERE a.status_change_id = s.id AND NOT a.is_fixed))
    FROM status_changes s
    LEFT JOIN comments why ON why.id = s.comment_id
    LEFT JOIN issues original ON original.id = s.duplicate_of_id AND original.moderation_state = 'passed'
    WHERE s.issue_id = i.id AND s.to_status = 'Closed' AND i.status IN ('Closed', 'Archived')
    ORDER BY s.id DESC LIMIT 1) AS closing,
  (SELECT former.id FROM issues former WHERE former.id = i.previous_issue_id AND former.moderation_state = 'passed') AS previous_issue,
  ${callerColumns(viewer)}`
