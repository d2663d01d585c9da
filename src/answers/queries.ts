import { type Queryable, type Sql, sql } from '../database/database.ts'
import type { Viewer } from '../http/auth/access.ts'
import { limitOf, type Page } from '../http/lists/pagination.ts'
import { readableBy as isQuestionReadableBy } from '../questions/queries.ts'
import type { UserSummaryRow } from '../users/present.ts'
import { userSummary } from '../users/queries.ts'

export interface AnswerRow {
  readonly id: number
  readonly question_id: number
  readonly answer: string
  readonly locale: string | null
  readonly moderation_state: 'passed' | 'held' | 'rejected'
  readonly accepted_at: string | null
  readonly vote_count: number
  readonly created_at: string
  readonly updated_at: string
  readonly answerer: UserSummaryRow | null
}

const answerColumns = sql`
  a.id, a.question_id, a.answer, a.locale, a.moderation_state, a.accepted_at, a.vote_count, a.created_at, a.updated_at,
  (SELECT ${userSummary(sql`u`)} FROM users u WHERE u.id = a.answerer_id) AS answerer`

/** What is held or rejected exists for its author and for moderators only, and so does what answers a question that is. */
export function readableBy(viewer: Viewer | null): Sql {
  const isReadable =
    viewer === null
      ? sql`a.moderation_state = 'passed'`
      : viewer.isModerator
        ? sql`TRUE`
        : sql`(a.moderation_state = 'passed' OR a.answerer_id = ${viewer.id})`
  return sql`(${isReadable} AND EXISTS (SELECT FROM questions q WHERE q.id = a.question_id
    AND (${isQuestionReadableBy(viewer)} OR a.answerer_id = ${viewer?.id ?? null}::integer)))`
}

/** As readers look for them: the accepted one, then those with the most votes, of equals the oldest; what is held is not there. */
export function listAnswers(db: Queryable, questionId: number, page: Page): Promise<AnswerRow[]> {
  return db.query<AnswerRow>(sql`
    SELECT ${answerColumns}
    FROM answers a
    WHERE a.question_id = ${questionId}::integer AND a.moderation_state = 'passed'
    ORDER BY (a.accepted_at IS NULL), a.vote_count DESC, a.created_at, a.id
    ${limitOf(page)}`)
}

export async function findAnswer(db: Queryable, id: number, viewer: Viewer | null): Promise<AnswerRow | undefined> {
  const [answer] = await db.query<AnswerRow>(
    sql`SELECT ${answerColumns} FROM answers a WHERE a.id = ${id} AND ${readableBy(viewer)}`,
  )
  return answer
}

/** These answers whatever became of them, for callers who may know; in no order. */
export function listAnswersByIds(db: Queryable, ids: readonly number[]): Promise<AnswerRow[]> {
  return db.query<AnswerRow>(sql`SELECT ${answerColumns} FROM answers a WHERE a.id = ANY(${ids}::integer[])`)
}

/** Whether the caller has voted for each of these answers. */
export async function listOwnVotes(db: Queryable, ids: readonly number[], viewer: Viewer | null): Promise<ReadonlySet<number>> {
  if (!viewer || ids.length === 0) return new Set()
  const votes = await db.query<{ answer_id: number }>(sql`
    SELECT v.answer_id FROM answer_votes v WHERE v.answer_id = ANY(${ids}::integer[]) AND v.user_id = ${viewer.id}`)
  return new Set(votes.map(({ answer_id }) => answer_id))
}
