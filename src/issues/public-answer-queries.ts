import Type, { type Static } from 'typebox'

import { Count, Id, nullable, type Queryable, sql } from '../database/database.ts'

const PublicAnswerRow = Type.Object({
  issue_id: Id,
  /** The primary key of the question, which is null if it has been deleted. */
  primary_key: nullable(Type.String()),
  question: Type.String(),
  /** The text for people. */
  answer: Type.String(),
  /** The chosen keys of a question with choices. */
  keys: Type.Array(Type.String()),
  /** The key of an uploaded file. */
  file: nullable(Type.String()),
})
export type PublicAnswerRow = Static<typeof PublicAnswerRow>

export interface AnswerLimits {
  readonly answersMax: number
  /** Longer texts are cut, with an ellipsis at the end. */
  readonly charactersMax: number
}

/** Returns the first public answers of each issue in the order of the form. Check that the issues are public. */
export function listPublicAnswers(
  db: Queryable,
  issueIds: readonly number[],
  { answersMax, charactersMax }: AnswerLimits,
): Promise<PublicAnswerRow[]> {
  return db.query(sql.type(PublicAnswerRow)`
    SELECT public_answer.issue_id, public_answer.primary_key, public_answer.question, public_answer.file, public_answer.keys,
      CASE WHEN char_length(public_answer.answer) > ${charactersMax}::integer THEN left(public_answer.answer, ${charactersMax - 1}::integer) || '…' ELSE public_answer.answer END AS answer
    FROM unnest(${issueIds}::integer[]) AS listed (id)
    CROSS JOIN LATERAL (
      SELECT a.*, coalesce(q.built_in::text, q.id::text) AS primary_key, a.value ->> 'file' AS file,
        CASE jsonb_typeof(a.value)
          WHEN 'array' THEN a.value
          WHEN 'boolean' THEN jsonb_build_array(a.value #>> '{}')
          -- The type is unknown if the question has been deleted.
          WHEN 'string' THEN CASE WHEN q.question_type = 'select' OR a.value #>> '{}' <> a.answer THEN jsonb_build_array(a.value) ELSE '[]' END
          ELSE '[]' END AS keys
      FROM issue_answers a LEFT JOIN request_type_questions q ON q.id = a.question_id
      WHERE a.issue_id = listed.id AND NOT a.answer_kept_private
      ORDER BY a.position, a.id
      LIMIT ${answersMax}::integer) public_answer
    ORDER BY public_answer.issue_id, public_answer.position, public_answer.id`)
}

const CountsRow = Type.Object({ id: Id, vote_count: Count, comment_count: Count })

/** Returns the numbers of votes and public comments of issues. */
export function listIssueCounts(db: Queryable, issueIds: readonly number[]): Promise<Static<typeof CountsRow>[]> {
  return db.query(sql.type(CountsRow)`
    SELECT i.id, i.vote_count,
      (SELECT count(*)::integer FROM comments c WHERE c.issue_id = i.id AND c.moderation_state = 'passed') AS comment_count
    FROM issues i WHERE i.id = ANY(${issueIds}::integer[])`)
}
