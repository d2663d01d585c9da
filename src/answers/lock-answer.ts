import Type, { type Static } from 'typebox'

import { text } from '../locales/texts.ts'
import { Id, nullable, Timestamp } from '../database/columns.ts'
import { sql, type Transaction } from '../database/database.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { lockUser } from '../issue-lifecycle/lock-issue.ts'
import { problems } from '../errors/problems.ts'
import { answerReadableBy } from './queries.ts'

const LockedAnswer = Type.Object({
  id: Id,
  question_id: Id,
  place_id: Id,
  asker_id: nullable(Id),
  accepted_at: nullable(Timestamp),
  is_public: Type.Boolean(),
})
export type LockedAnswer = Omit<Static<typeof LockedAnswer>, 'is_public'>

/**
 * Locks the caller and the question of the answer until the end of the transaction.
 * @throws Problem 404 if the caller may not see it, 422 `{base}` if it is not public
 */
export async function lockAnswer(tx: Transaction, id: number, viewer: Viewer): Promise<LockedAnswer> {
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
