import { sql, type Transaction } from '../database/database.ts'
import type { Viewer } from '../http/auth/access.ts'
import { problems } from '../errors/problems.ts'
import { readableBy } from './queries.ts'

export interface LockedAnswer {
  readonly id: number
  readonly question_id: number
  readonly place_id: number
  readonly asker_id: number | null
  readonly accepted_at: string | null
}

/**
 * An answer that the caller is about to act on; its question is locked until the end of the transaction, as by everybody who acts on one, so
 * nothing about the answer changes meanwhile. Call it before the rows of people are locked.
 * @throws Problem 404 where the caller must not know of it, 422 `{base}` where it is not public
 */
export async function lockAnswer(tx: Transaction, id: number, viewer: Viewer): Promise<LockedAnswer> {
  await tx.query(sql`
    SELECT q.id FROM questions q WHERE q.id = (SELECT a.question_id FROM answers a WHERE a.id = ${id}) FOR NO KEY UPDATE`)
  const [answer] = await tx.query<LockedAnswer & { is_public: boolean }>(sql`
    SELECT a.id, a.question_id, q.place_id, q.asker_id, a.accepted_at,
      a.moderation_state = 'passed' AND q.moderation_state = 'passed' AS is_public
    FROM answers a JOIN questions q ON q.id = a.question_id
    WHERE a.id = ${id} AND ${readableBy(viewer)}`)
  if (!answer) throw problems.notFound('The answer')
  const { is_public, ...rest } = answer
  if (!is_public) throw problems.invalid({ base: 'This answer is not public, so nothing can be added to it or changed.' })
  return rest
}
