import Type, { type Static } from 'typebox'

import {
  Count,
  Id,
  nullable,
  stringEnum,
  Timestamp,
  type PrismaHandle,
  type Queryable,
  type Sql,
  sql,
  IdRow,
} from '../database/database.ts'
import { orNotFound } from '../errors/problems.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { limitClause, type Page } from '../http/lists/pagination.ts'
import type { Urls } from '../http/request/urls.ts'
import { toNullableTimestamp, toTimestamp } from '../http/schema/fields.ts'
import { canInPlace } from '../issue-lifecycle/acting-organizations.ts'
import { moderationStates } from '../issue-lifecycle/status.ts'
import { questionReadableBy } from '../questions/queries.ts'
import { HiddenState } from '../questions/write-question.ts'
import { UserSummaryRow, toUserSummary, userSummary } from '../users/present.ts'
import type { Answer } from './schema.ts'

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

/** Held and rejected answers, and answers to such questions, are visible to their author and to moderators of their city only. */
export const answerReadableBy = (viewer: Viewer | null): Sql => sql`(a.answerer_id = ${viewer?.id ?? null}::integer OR EXISTS (
    SELECT FROM questions q WHERE q.id = a.question_id AND ${questionReadableBy(viewer)}
      AND (a.moderation_state = 'passed' OR ${canInPlace(viewer, 'moderate', sql`q.place_id`)})))`

/** Returns public answers: the accepted one, then by votes, then the oldest first. */
export function listAnswers(db: Queryable, questionId: number, page: Page): Promise<AnswerRow[]> {
  return db.query(sql.type(AnswerRow)`
    SELECT ${answerColumns}
    FROM answers a
    WHERE a.question_id = ${questionId}::integer AND a.moderation_state = 'passed'
    ORDER BY (a.accepted_at IS NULL), a.vote_count DESC, a.created_at, a.id
    ${limitClause(page)}`)
}

/** @throws Problem 404. A moderator may hide an answer right after it was written. */
export async function findAnswer(db: Queryable, id: number, viewer: Viewer | null): Promise<AnswerRow> {
  const answer = await db.query(sql.first(AnswerRow)`
    SELECT ${answerColumns} FROM answers a WHERE a.id = ${id} AND ${answerReadableBy(viewer)}`)
  return orNotFound(answer, 'the_answer')
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

export interface HiddenAnswer extends HiddenState {
  readonly row: AnswerRow
}

const HiddenRow = Type.Object({ ...IdRow.properties, ...HiddenState.properties })

/** Returns the newest hidden answers, oldest first: all of them for moderators, their own for other callers. */
export async function listHiddenAnswers(
  db: Queryable,
  questionId: number,
  viewer: Viewer | null,
  limit: number,
): Promise<HiddenAnswer[]> {
  if (!viewer) return []
  const newest = await db.query(sql.type(HiddenRow)`
    SELECT a.id, m.id AS item_id,
      (SELECT d.rejection_reason FROM moderation_items d
        WHERE d.subject_type = 'answer' AND d.subject_id = a.id AND d.state = 'rejected' ORDER BY d.id DESC LIMIT 1) AS reason
    FROM answers a
    LEFT JOIN moderation_items m ON m.subject_type = 'answer' AND m.subject_id = a.id AND m.state = 'held'
    WHERE a.question_id = ${questionId} AND a.moderation_state <> 'passed' AND ${answerReadableBy(viewer)}
    ORDER BY a.created_at DESC, a.id DESC
    LIMIT ${limit}::integer`)
  const rows = await listAnswersByIds(
    db,
    newest.map(({ id }) => id),
  )
  return newest.reverse().flatMap(({ id, ...state }) => {
    const row = rows.find((one) => one.id === id)
    return row ? [{ row, ...state }] : []
  })
}

export function toAnswer({ moderation_state: _, vote_count, ...row }: AnswerRow, urls: Urls): Answer {
  return {
    ...row,
    answerer: toUserSummary(row.answerer, urls),
    accepted_at: toNullableTimestamp(row.accepted_at),
    total_votes: vote_count,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
    url: urls.api(`/answers/${row.id}`),
    html_url: urls.at(`/questions/${row.question_id}#answer-${row.id}`),
    question_url: urls.api(`/questions/${row.question_id}`),
    flag_url: urls.api(`/answers/${row.id}/flag`),
  }
}
