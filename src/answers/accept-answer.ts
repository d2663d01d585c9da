import { text } from '../locales/texts.ts'
import { IdRow } from '../database/columns.ts'
import { type Queryable, sql, type Transaction } from '../database/database.ts'
import { recordEvent } from '../outbox/queries.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { problems } from '../errors/problems.ts'
import { lockAnswer, type LockedAnswer } from './lock-answer.ts'

export interface AcceptInput {
  readonly answer_id: number
  readonly viewer: Viewer
  readonly now: Date
  readonly request_id: string
}

/**
 * Idempotent.
 * @throws Problem 404 if the caller may not see the answer, 403 if the caller may not accept it, 422 `{base}` if it is not public
 */
export async function acceptAnswer(tx: Transaction, { answer_id, viewer, now, request_id }: AcceptInput): Promise<void> {
  const answer = await lockForAcceptance(tx, answer_id, viewer)
  if (answer.accepted_at !== null) return
  const timestamp = now.toISOString()
  const [previous] = await tx.query(sql.type(IdRow)`
    UPDATE answers a SET accepted_at = NULL, updated_at = greatest(a.updated_at, ${timestamp}::timestamptz)
    WHERE a.question_id = ${answer.question_id} AND a.accepted_at IS NOT NULL RETURNING a.id`)
  await tx.execute(sql`
    UPDATE answers a SET accepted_at = ${timestamp}::timestamptz, updated_at = greatest(a.updated_at, ${timestamp}::timestamptz)
    WHERE a.id = ${answer_id}`)
  const eventFields = { actor_id: viewer.id, payload: { question_id: answer.question_id }, request_id }
  if (previous) await recordEvent(tx, { type: 'answer.unaccepted', subject_id: previous.id, ...eventFields })
  await recordEvent(tx, { type: 'answer.accepted', subject_id: answer_id, ...eventFields })
}

/** Withdraws the acceptance. Idempotent. @throws Problem 404, 403 and 422 as in `acceptAnswer` */
export async function unacceptAnswer(tx: Transaction, { answer_id, viewer, now, request_id }: AcceptInput): Promise<void> {
  const answer = await lockForAcceptance(tx, answer_id, viewer)
  if (answer.accepted_at === null) return
  await tx.execute(sql`
    UPDATE answers a SET accepted_at = NULL, updated_at = greatest(a.updated_at, ${now.toISOString()}::timestamptz)
    WHERE a.id = ${answer_id}`)
  const payload = { question_id: answer.question_id }
  return recordEvent(tx, { type: 'answer.unaccepted', subject_id: answer_id, actor_id: viewer.id, payload, request_id })
}

async function lockForAcceptance(tx: Transaction, id: number, viewer: Viewer): Promise<LockedAnswer> {
  const answer = await lockAnswer(tx, id, viewer)
  if (!(await mayAccept(tx, answer, viewer))) throw problems.notPermitted(NOT_PERMITTED)
  return answer
}

const NOT_PERMITTED = text('may_not_accept_answer')

/** A border that an organisation shares with the city gives no right, because every neighbour has one. */
export async function mayAccept(
  db: Queryable,
  question: { readonly place_id: number; readonly asker_id: number | null },
  viewer: Viewer,
): Promise<boolean> {
  if (viewer.isAdmin || question.asker_id === viewer.id) return true
  if (viewer.organizationIds.length === 0) return false
  const organizations = await db.query(sql.type(IdRow)`
    SELECT o.id FROM organizations o
    JOIN places p ON p.id = ${question.place_id}
    WHERE o.id = ANY(${viewer.organizationIds}::integer[]) AND o.area && p.boundary AND ST_Relate(o.area, p.boundary, 'T********')
    LIMIT 1`)
  return organizations.length > 0
}
