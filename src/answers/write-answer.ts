import Type, { type Static } from 'typebox'
import { type CreatedText, readTextField, reviewText, type TextRequest } from '../content-policy/policy.ts'
import { addModerationItem } from '../content-policy/moderation-item-queries.ts'
import { sql, type Transaction, Id, nullable, Timestamp, IdRow, type Queryable } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { canInPlace } from '../issue-lifecycle/acting-organizations.ts'
import { lockUser } from '../issue-lifecycle/lock-issue.ts'
import { text } from '../locales/texts.ts'
import { recordEvent } from '../outbox/queries.ts'
import { reversePoints, touchQuestion, findActionableQuestion, lockQuestion } from '../questions/write-question.ts'
import type { Services } from '../services.ts'
import { answerReadableBy } from './queries.ts'
import { pointsFor } from '../users/rules.ts'

const earlierAnswers = sql`
  SELECT a.created_at, a.answer AS text FROM answers a WHERE a.answerer_id = u.id`

/** The points for votes are reversed, unless hiding the question did that before. Requires `lockQuestion`. */
export async function hideAnswer(tx: Transaction, id: number): Promise<void> {
  await tx.prisma.answer.updateMany({ where: { id }, data: { moderation_state: 'rejected', accepted_at: null } })
  const publicQuestions = await tx.prisma.question.count({ where: { answers: { some: { id } }, moderation_state: 'passed' } })
  if (publicQuestions > 0) await reversePoints(tx, [id])
}

interface AnswerPublication {
  readonly answer_id: number
  readonly question_id: number
  /** Null if the account was deleted while the answer was held. */
  readonly answerer_id: number | null
  readonly now: Date
  readonly request_id?: string
}

/** Requires `lockQuestion` and the `moderation_state` 'passed'. */
export async function publishAnswer(
  tx: Transaction,
  { answer_id, question_id, answerer_id, now, request_id }: AnswerPublication,
): Promise<void> {
  await touchQuestion(tx, { id: question_id, now })
  const eventFields = { actor_id: answerer_id, ...(request_id === undefined ? {} : { request_id }) }
  return recordEvent(tx, { type: 'answer.given', subject_id: answer_id, payload: { question_id }, ...eventFields })
}

const LockedAnswer = Type.Object({
  id: Id,
  question_id: Id,
  place_id: Id,
  asker_id: nullable(Id),
  accepted_at: nullable(Timestamp),
  is_public: Type.Boolean(),
})
type LockedAnswer = Omit<Static<typeof LockedAnswer>, 'is_public'>

/**
 * Locks the caller and the question of the answer until the end of the transaction.
 * @throws Problem 404 if the caller may not see it, 422 `{base}` if it is not public
 */
async function lockAnswer(tx: Transaction, id: number, viewer: Viewer): Promise<LockedAnswer> {
  await lockUser(tx, viewer.id)
  await tx.execute(sql`
    SELECT q.id FROM questions q WHERE q.id = (SELECT a.question_id FROM answers a WHERE a.id = ${id}) FOR NO KEY UPDATE`)
  const [answer] = await tx.query(sql.type(LockedAnswer)`
    SELECT a.id, a.question_id, q.place_id, q.asker_id, a.accepted_at,
      a.moderation_state = 'passed' AND q.moderation_state = 'passed' AS is_public
    FROM answers a JOIN questions q ON q.id = a.question_id
    WHERE a.id = ${id} AND ${answerReadableBy(viewer)}`)
  if (!answer) throw problems.notFound('the_answer')
  const { is_public, ...rest } = answer
  if (!is_public) throw problems.invalid({ base: text('answer_not_public') })
  return rest
}

export interface AnswerAction {
  readonly answer_id: number
  readonly by: Viewer
  readonly now: Date
  readonly request_id: string
}

/**
 * Idempotent.
 * @throws Problem 404 if the caller may not see the answer, 403 if the caller may not accept it, 422 `{base}` if it is not public
 */
export async function acceptAnswer(tx: Transaction, { answer_id, by, now, request_id }: AnswerAction): Promise<void> {
  const answer = await lockForAcceptance(tx, answer_id, by)
  if (answer.accepted_at !== null) return
  const timestamp = now.toISOString()
  const [previous] = await tx.query(sql.type(IdRow)`
    UPDATE answers a SET accepted_at = NULL, updated_at = greatest(a.updated_at, ${timestamp}::timestamptz)
    WHERE a.question_id = ${answer.question_id} AND a.accepted_at IS NOT NULL RETURNING a.id`)
  await tx.execute(sql`
    UPDATE answers a SET accepted_at = ${timestamp}::timestamptz, updated_at = greatest(a.updated_at, ${timestamp}::timestamptz)
    WHERE a.id = ${answer_id}`)
  const eventFields = { actor_id: by.id, payload: { question_id: answer.question_id }, request_id }
  if (previous) await recordEvent(tx, { type: 'answer.unaccepted', subject_id: previous.id, ...eventFields })
  await recordEvent(tx, { type: 'answer.accepted', subject_id: answer_id, ...eventFields })
}

/** Withdraws the acceptance. Idempotent. @throws Problem 404, 403 and 422 as in `acceptAnswer` */
export async function unacceptAnswer(tx: Transaction, { answer_id, by, now, request_id }: AnswerAction): Promise<void> {
  const answer = await lockForAcceptance(tx, answer_id, by)
  if (answer.accepted_at === null) return
  await tx.execute(sql`
    UPDATE answers a SET accepted_at = NULL, updated_at = greatest(a.updated_at, ${now.toISOString()}::timestamptz)
    WHERE a.id = ${answer_id}`)
  const payload = { question_id: answer.question_id }
  return recordEvent(tx, { type: 'answer.unaccepted', subject_id: answer_id, actor_id: by.id, payload, request_id })
}

async function lockForAcceptance(tx: Transaction, id: number, viewer: Viewer): Promise<LockedAnswer> {
  const answer = await lockAnswer(tx, id, viewer)
  if (!(await mayAccept(tx, answer, viewer))) throw problems.notPermitted(NOT_PERMITTED)
  return answer
}

const NOT_PERMITTED = text('may_not_accept_answer')

export async function mayAccept(
  db: Queryable,
  question: { readonly place_id: number; readonly asker_id: number | null },
  viewer: Viewer,
): Promise<boolean> {
  if (viewer.isAdmin || question.asker_id === viewer.id) return true
  const [place] = await db.query(sql.type(IdRow)`
    SELECT place.id FROM places place WHERE place.id = ${question.place_id} AND ${canInPlace(viewer, 'read_issues', sql`place.id`)}`)
  return place !== undefined
}

/** @throws Problem 404 if the caller may not see the question, 422 `{errors}` with all errors, `base` if it is not public */
export async function createAnswer(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  question_id: number,
  request: TextRequest,
): Promise<CreatedText> {
  if (request.stored) return request.stored
  const { author, requestId: request_id } = request
  await findActionableQuestion(db, question_id, author)
  const { text: answer, locale } = readTextField(request, 'answer')
  const now = clock()
  return request.inTransaction(async (tx) => {
    await lockQuestion(tx, question_id, author)
    const review = await reviewText(tx, { author, text: answer, locale, now }, earlierAnswers)
    const { reasons } = review
    const isHeld = reasons.length > 0
    const row = { question_id, answerer_id: author.id, answer, locale: review.locale, created_at: now, updated_at: now }
    const { id } = await tx.prisma.answer.create({
      data: { ...row, moderation_state: isHeld ? 'held' : 'passed' },
      select: { id: true },
    })
    if (isHeld) {
      await addModerationItem(tx, { subject_type: 'answer', subject_id: id, reasons, original: { answer }, created_at: now })
      await recordEvent(tx, { type: 'answer.held', subject_id: id, actor_id: author.id, payload: { question_id }, request_id })
    } else await publishAnswer(tx, { answer_id: id, question_id, answerer_id: author.id, now, request_id })
    return { id, isHeld }
  })
}

/**
 * Idempotent. Authors may vote for their own answers.
 * @throws Problem 404 if the caller may not see the answer, 422 `{base}` if it is not public
 */
export async function castAnswerVote(tx: Transaction, { answer_id, by, now, request_id }: AnswerAction): Promise<void> {
  const { question_id } = await lockAnswer(tx, answer_id, by)
  if (!(await addAnswerVote(tx, { answer_id, user_id: by.id, created_at: now }))) return
  return recordEvent(tx, { type: 'answer.voted', subject_id: answer_id, actor_id: by.id, payload: { question_id }, request_id })
}

/** @throws Problem 404 if the caller may not see the answer, 422 `{base}` if it is not public or there is no vote */
export async function withdrawAnswerVote(tx: Transaction, { answer_id, by, request_id }: Omit<AnswerAction, 'now'>): Promise<void> {
  const { question_id } = await lockAnswer(tx, answer_id, by)
  if (!(await removeAnswerVote(tx, { answer_id, user_id: by.id }))) throw problems.invalid({ base: text('not_voted_for_answer') })
  return recordEvent(tx, {
    type: 'answer.unvoted',
    subject_id: answer_id,
    actor_id: by.id,
    payload: { question_id },
    request_id,
  })
}

interface AnswerVote {
  readonly answer_id: number
  readonly user_id: number
}

/** Returns false if the user has already voted. `updated_at` stays, because the answer is unchanged. Requires `lockAnswer`. */
async function addAnswerVote(
  tx: Transaction,
  { answer_id, user_id, created_at }: AnswerVote & { readonly created_at: Date },
): Promise<boolean> {
  const { count } = await tx.prisma.answerVote.createMany({ data: { answer_id, user_id, created_at }, skipDuplicates: true })
  if (count > 0) await addPoints(tx, user_id, pointsFor.vote)
  return count > 0
}

/** Deletes a vote and reverses its points. Returns false if there is none. Requires `lockAnswer`. */
async function removeAnswerVote(tx: Transaction, { answer_id, user_id }: AnswerVote): Promise<boolean> {
  const { count } = await tx.prisma.answerVote.deleteMany({ where: { answer_id, user_id } })
  if (count > 0) await addPoints(tx, user_id, -pointsFor.vote)
  return count > 0
}

async function addPoints(tx: Transaction, id: number, points: number): Promise<void> {
  await tx.prisma.user.updateMany({ where: { id }, data: { civic_points: { increment: points } } })
}
