import Type, { type Static } from 'typebox'
import { text } from '../locales/texts.ts'
import { reversePoints } from './points-queries.ts'
import { Id, nullable, stringEnum } from '../database/columns.ts'
import { empty, type Queryable, type Sql, sql, type Transaction } from '../database/database.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { lockUser } from '../issue-lifecycle/lock-issue.ts'
import { problems } from '../errors/problems.ts'
import { moderationStates } from '../issue-lifecycle/status.ts'
import { questionReadableBy } from './queries.ts'
import { recordEvent } from '../outbox/queries.ts'

const ActionableQuestion = Type.Object({
  id: Id,
  place_id: Id,
  asker_id: nullable(Id),
  moderation_state: stringEnum(moderationStates),
})
export type ActionableQuestion = Omit<Static<typeof ActionableQuestion>, 'moderation_state'>

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

export const earlierQuestions = sql`
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
