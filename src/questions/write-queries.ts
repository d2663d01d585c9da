import { takePointsBack } from './points-queries.ts'
import { empty, type Queryable, type Sql, sql, type Transaction } from '../database/database.ts'
import type { Viewer } from '../http/auth/access.ts'
import { problems } from '../errors/problems.ts'
import { SAME_WITHIN_S } from '../content-policy/policy.ts'
import { readableBy } from './queries.ts'

export interface QuestionToActOn {
  readonly id: number
  readonly place_id: number
  readonly asker_id: number | null
}

/**
 * A question that the caller is about to act on.
 * @throws Problem 404 where the caller must not know of it, 422 `{errors: {base}}` where it is not public
 */
export const findQuestionToActOn = (db: Queryable, id: number, viewer: Viewer): Promise<QuestionToActOn> =>
  find(db, id, viewer, empty)

/**
 * The same, and its row is locked until the end of the transaction: of several who act on it or on its answers each sees what the one
 * before did. Call it before the rows of people are locked.
 */
export const lockQuestion = (tx: Transaction, id: number, viewer: Viewer): Promise<QuestionToActOn> =>
  find(tx, id, viewer, sql`FOR NO KEY UPDATE OF q`)

async function find(from: Queryable, id: number, viewer: Viewer, lock: Sql): Promise<QuestionToActOn> {
  const [question] = await from.query<QuestionToActOn & { moderation_state: string }>(sql`
    SELECT q.id, q.place_id, q.asker_id, q.moderation_state FROM questions q WHERE q.id = ${id} AND ${readableBy(viewer)} ${lock}`)
  if (!question) throw problems.notFound('The question')
  const { moderation_state, ...rest } = question
  if (moderation_state !== 'passed') throw problems.invalidErrors({ base: NOT_PUBLIC })
  return rest
}

const NOT_PUBLIC = 'This question is not public, so nothing can be added to it or changed.'

export interface Asker {
  readonly created_at: string
  readonly locale: string
  /** How often they asked the identical question within the last hour, held and rejected ones too. */
  readonly same_before: number
}

/** The row of the asker is locked: of several identical questions at one moment each counts the ones before it. */
export async function lockAsker(
  tx: Transaction,
  { id, question, now }: { id: number; question: string; now: Date },
): Promise<Asker | undefined> {
  await tx.query(sql`SELECT u.id FROM users u WHERE u.id = ${id} FOR NO KEY UPDATE`)
  const [asker] = await tx.query<Asker>(sql`
    SELECT u.created_at, u.locale, (
      SELECT count(*)::integer FROM questions q
      WHERE q.asker_id = u.id AND q.created_at > ${now.toISOString()}::timestamptz - make_interval(secs => ${SAME_WITHIN_S})
        AND same_text(q.question) = same_text(${question})) AS same_before
    FROM users u WHERE u.id = ${id}`)
  return asker
}

export interface NewQuestionRow {
  readonly place_id: number
  readonly asker_id: number
  readonly question: string
  readonly locale: string
  readonly moderation_state: 'passed' | 'held'
  readonly at: Date
}

export async function insertQuestion(tx: Transaction, row: NewQuestionRow): Promise<number> {
  const at = row.at.toISOString()
  const [written] = await tx.query<{ id: number }>(sql`
    INSERT INTO questions (place_id, asker_id, question, locale, moderation_state, created_at, updated_at)
    VALUES (${row.place_id}, ${row.asker_id}, ${row.question}, ${row.locale}, ${row.moderation_state}, ${at}::timestamptz, ${at}::timestamptz)
    RETURNING questions.id`)
  if (!written) throw new Error('no question was written')
  return written.id
}

/** Something about a locked question that everybody may see is of this moment; `updated_at` never goes back. */
export async function touchQuestion(tx: Transaction, { id, at }: { readonly id: number; readonly at: Date }): Promise<void> {
  await tx.query(sql`
    UPDATE questions q SET updated_at = greatest(q.updated_at, ${at.toISOString()}::timestamptz) WHERE q.id = ${id} RETURNING q.id`)
}

/** Takes a question out of sight for good, and its answers with it; the points for votes on these are taken back. It is locked. */
export async function hideQuestion(tx: Transaction, id: number): Promise<void> {
  await tx.query(sql`UPDATE questions q SET moderation_state = 'rejected' WHERE q.id = ${id} RETURNING q.id`)
  const shown = await tx.query<{ id: number }>(sql`
    SELECT a.id FROM answers a WHERE a.question_id = ${id} AND a.moderation_state = 'passed'`)
  await takePointsBack(
    tx,
    shown.map((answer) => answer.id),
  )
}
