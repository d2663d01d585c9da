import Type, { type Static } from 'typebox'

import { type CreatedText, readTextField, reviewText, type TextRequest } from '../content-policy/policy.ts'
import { addModerationItem } from '../content-policy/moderation-item-queries.ts'
import {
  type Transaction,
  sql,
  Id,
  nullable,
  stringEnum,
  empty,
  type Queryable,
  type Sql,
  type PrismaHandle,
} from '../database/database.ts'
import { problems, orNotFound } from '../errors/problems.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { lockUser } from '../issue-lifecycle/lock-issue.ts'
import { moderationStates } from '../issue-lifecycle/status.ts'
import { text } from '../locales/texts.ts'
import { recordEvent } from '../outbox/queries.ts'
import type { Services } from '../services.ts'
import { pointsFor } from '../users/rules.ts'
import { questionReadableBy, findCity } from './queries.ts'

/** Reverses the points for votes that are no longer visible. Imported and demo votes gave none; the events show that. */
export async function reversePoints(tx: Transaction, answerIds: readonly number[]): Promise<void> {
  await tx.execute(sql`
    UPDATE users u SET civic_points = greatest(u.civic_points - p.points, least(u.civic_points, 0))
    FROM (
      SELECT v.user_id, count(*)::integer * ${pointsFor.vote}::integer AS points
      FROM answer_votes v
      WHERE v.answer_id = ANY(${answerIds}::integer[]) AND EXISTS (
        SELECT FROM events e
        WHERE e.subject_type = 'answer' AND e.subject_id = v.answer_id AND e.type = 'answer.voted' AND e.actor_id = v.user_id)
      GROUP BY v.user_id) p
    WHERE u.id = p.user_id`)
}

const ActionableQuestion = Type.Object({
  id: Id,
  place_id: Id,
  asker_id: nullable(Id),
  moderation_state: stringEnum(moderationStates),
})
type ActionableQuestion = Omit<Static<typeof ActionableQuestion>, 'moderation_state'>

/** @throws Problem 404 if the caller may not see it, 422 `{errors: {base}}` if it is not public */
export const findActionableQuestion = (db: Queryable, id: number, viewer: Viewer): Promise<ActionableQuestion> =>
  find(db, id, viewer, empty)

/**
 * Locks the caller and the row until the end of the transaction, to serialize changes.
 * @throws Problem as in `findActionableQuestion`
 */
export async function lockQuestion(tx: Transaction, id: number, viewer: Viewer): Promise<ActionableQuestion> {
  await lockUser(tx, viewer.id)
  return find(tx, id, viewer, sql`FOR NO KEY UPDATE OF q`)
}

async function find(from: Queryable, id: number, viewer: Viewer, lock: Sql): Promise<ActionableQuestion> {
  const [question] = await from.query(sql.type(ActionableQuestion)`
    SELECT q.id, q.place_id, q.asker_id, q.moderation_state FROM questions q WHERE q.id = ${id} AND ${questionReadableBy(viewer)} ${lock}`)
  if (!question) throw problems.notFound('the_question')
  const { moderation_state, ...rest } = question
  if (moderation_state !== 'passed') throw problems.invalidErrors({ base: NOT_PUBLIC })
  return rest
}

const NOT_PUBLIC = text('question_not_public')

const earlierQuestions = sql`
  SELECT q.created_at, q.question AS text FROM questions q WHERE q.asker_id = u.id`

/** Updates the timestamps of a locked question; `updated_at` never decreases. */
export async function touchQuestion(tx: Transaction, { id, now }: { readonly id: number; readonly now: Date }): Promise<void> {
  await tx.execute(sql`
    UPDATE questions q SET updated_at = greatest(q.updated_at, ${now.toISOString()}::timestamptz) WHERE q.id = ${id}`)
}

/** Hides a question permanently together with its answers and reverses the points for their votes. Requires `lockQuestion`. */
export async function hideQuestion(tx: Transaction, id: number): Promise<void> {
  await tx.prisma.question.updateMany({ where: { id }, data: { moderation_state: 'rejected' } })
  const publicAnswers = await tx.prisma.answer.findMany({
    where: { question_id: id, moderation_state: 'passed' },
    select: { id: true },
  })
  await reversePoints(
    tx,
    publicAnswers.map((answer) => answer.id),
  )
}

interface QuestionPublication {
  readonly question_id: number
  /** Null if the account was deleted while the question was held. */
  readonly asker_id: number | null
  readonly now: Date
  readonly request_id?: string
}

/** Requires `lockQuestion` and the `moderation_state` 'passed'. */
export async function publishQuestion(
  tx: Transaction,
  { question_id, asker_id, now, request_id }: QuestionPublication,
): Promise<void> {
  await touchQuestion(tx, { id: question_id, now })
  const eventFields = { actor_id: asker_id, ...(request_id === undefined ? {} : { request_id }) }
  return recordEvent(tx, { type: 'question.asked', subject_id: question_id, payload: { question_id }, ...eventFields })
}

/** @throws Problem 404 if there is no such city, 422 `{errors}` with all validation errors */
export async function createQuestion(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  place: string,
  request: TextRequest,
): Promise<CreatedText> {
  if (request.stored) return request.stored
  const city = orNotFound(await findCity(db, place), 'the_place')
  const { text: question, locale } = readTextField(request, 'question')
  const { author, requestId: request_id } = request
  const now = clock()
  return request.inTransaction(async (tx) => {
    const review = await reviewText(tx, { author, text: question, locale, now }, earlierQuestions)
    const { reasons } = review
    const isHeld = reasons.length > 0
    const row = { place_id: city.id, asker_id: author.id, question, locale: review.locale, created_at: now, updated_at: now }
    const { id } = await tx.prisma.question.create({
      data: { ...row, moderation_state: isHeld ? 'held' : 'passed' },
      select: { id: true },
    })
    if (isHeld) {
      await addModerationItem(tx, { subject_type: 'question', subject_id: id, reasons, original: { question }, created_at: now })
      await recordEvent(tx, { type: 'question.held', subject_id: id, actor_id: author.id, request_id })
    } else await publishQuestion(tx, { question_id: id, asker_id: author.id, now, request_id })
    return { id, isHeld }
  })
}

export const HiddenState = Type.Object({
  item_id: nullable(Id),
  reason: nullable(Type.String()),
})
export type HiddenState = Static<typeof HiddenState>

export async function findHiddenState(db: PrismaHandle, subject_id: number): Promise<HiddenState> {
  const items = await db.prisma.moderationItem.findMany({
    where: { subject_type: 'question', subject_id },
    orderBy: { id: 'desc' },
  })
  const newest = (state: 'held' | 'rejected') => items.find((item) => item.state === state)
  return { item_id: newest('held')?.id ?? null, reason: newest('rejected')?.rejection_reason ?? null }
}
