import { sql, type Transaction } from '../database/database.ts'
import { SAME_WITHIN_S } from '../content-policy/policy.ts'
import { takePointsBack } from '../questions/points-queries.ts'

export interface Answerer {
  readonly created_at: string
  readonly locale: string
  /** How often they gave the identical answer within the last hour, held and rejected ones too. */
  readonly same_before: number
}

/** The row of the answerer is locked: of several identical answers at one moment each counts the ones before it. */
export async function lockAnswerer(
  tx: Transaction,
  { id, answer, now }: { id: number; answer: string; now: Date },
): Promise<Answerer | undefined> {
  await tx.query(sql`SELECT u.id FROM users u WHERE u.id = ${id} FOR NO KEY UPDATE`)
  const [answerer] = await tx.query<Answerer>(sql`
    SELECT u.created_at, u.locale, (
      SELECT count(*)::integer FROM answers a
      WHERE a.answerer_id = u.id AND a.created_at > ${now.toISOString()}::timestamptz - make_interval(secs => ${SAME_WITHIN_S})
        AND same_text(a.answer) = same_text(${answer})) AS same_before
    FROM users u WHERE u.id = ${id}`)
  return answerer
}

export interface NewAnswerRow {
  readonly question_id: number
  readonly answerer_id: number
  readonly answer: string
  readonly locale: string
  readonly moderation_state: 'passed' | 'held'
  readonly at: Date
}

export async function insertAnswer(tx: Transaction, row: NewAnswerRow): Promise<number> {
  const at = row.at.toISOString()
  const [written] = await tx.query<{ id: number }>(sql`
    INSERT INTO answers (question_id, answerer_id, answer, locale, moderation_state, created_at, updated_at)
    VALUES (${row.question_id}, ${row.answerer_id}, ${row.answer}, ${row.locale}, ${row.moderation_state}, ${at}::timestamptz,
      ${at}::timestamptz)
    RETURNING answers.id`)
  if (!written) throw new Error('no answer was written')
  return written.id
}

/**
 * Takes an answer out of sight for good: it is accepted by nobody, and by a trigger it counts no more for its question, neither do its votes.
 * The points for the votes are taken back, unless they were with those of its whole question. That is locked.
 */
export async function hideAnswer(tx: Transaction, id: number): Promise<void> {
  await tx.query(sql`UPDATE answers a SET moderation_state = 'rejected', accepted_at = NULL WHERE a.id = ${id} RETURNING a.id`)
  const shown = await tx.query(sql`
    SELECT q.id FROM answers a JOIN questions q ON q.id = a.question_id WHERE a.id = ${id} AND q.moderation_state = 'passed'`)
  if (shown.length > 0) await takePointsBack(tx, [id])
}
