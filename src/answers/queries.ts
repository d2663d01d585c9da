import Type, { type Static } from 'typebox'

import { Count, Id, nullable, stringEnum, Timestamp } from '../database/columns.ts'
import { type PrismaHandle, type Queryable, type Sql, sql } from '../database/database.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { limitClause, type Page } from '../http/lists/pagination.ts'
import { moderationStates } from '../issue-lifecycle/status.ts'
import { questionReadableBy } from '../questions/queries.ts'
import { UserSummaryRow } from '../users/present.ts'
import { userSummary } from '../users/queries.ts'

const AnswerRow = Type.Object({
  id: Id,
  question_id: Id,
  answer: Type.String(),
  locale: nullable(Type.String()),
  moderation_state: stringEnum(moderationStates),
  accepted_at: nullable(Timestamp),
  vote_count: Count,
  created_at: Timestamp,
  updated_at: Timestamp,
  answerer: nullable(UserSummaryRow),
})
export type AnswerRow = Static<typeof AnswerRow>

const answerColumns = sql`
  a.id, a.question_id, a.answer, a.locale, a.moderation_state, a.accepted_at, a.vote_count, a.created_at, a.updated_at,
  (SELECT ${userSummary(sql`u`)} FROM users u WHERE u.id = a.answerer_id) AS answerer`

/** Pending and rejected answers, and answers to such questions, are visible to their author and to moderators only. */
export function answerReadableBy(viewer: Viewer | null): Sql {
  const isReadable =
    viewer === null
      ? sql`a.moderation_state = 'passed'`
      : viewer.isModerator
        ? sql`TRUE`
        : sql`(a.moderation_state = 'passed' OR a.answerer_id = ${viewer.id})`
  return sql`(${isReadable} AND EXISTS (SELECT FROM questions q WHERE q.id = a.question_id
    AND (${questionReadableBy(viewer)} OR a.answerer_id = ${viewer?.id ?? null}::integer)))`
}

/** Returns public answers: the accepted one, then by votes, then the oldest first. */
export function listAnswers(db: Queryable, questionId: number, page: Page): Promise<AnswerRow[]> {
  return db.query(sql.type(AnswerRow)`
    SELECT ${answerColumns}
    FROM answers a
    WHERE a.question_id = ${questionId}::integer AND a.moderation_state = 'passed'
    ORDER BY (a.accepted_at IS NULL), a.vote_count DESC, a.created_at, a.id
    ${limitClause(page)}`)
}

export async function findAnswer(db: Queryable, id: number, viewer: Viewer | null): Promise<AnswerRow | undefined> {
  const [answer] = await db.query(sql.type(AnswerRow)`
    SELECT ${answerColumns} FROM answers a WHERE a.id = ${id} AND ${answerReadableBy(viewer)}`)
  return answer
}

/** Returns answers in any moderation state, unordered. Check the caller's rights first. */
export function listAnswersByIds(db: Queryable, ids: readonly number[]): Promise<AnswerRow[]> {
  return db.query(sql.type(AnswerRow)`SELECT ${answerColumns} FROM answers a WHERE a.id = ANY(${ids}::integer[])`)
}

export async function listOwnVotes(db: PrismaHandle, ids: readonly number[], viewer: Viewer | null): Promise<ReadonlySet<number>> {
  if (!viewer || ids.length === 0) return new Set()
  const votes = await db.prisma.answerVote.findMany({ where: { answer_id: { in: [...ids] }, user_id: viewer.id } })
  return new Set(votes.map(({ answer_id }) => answer_id))
}
