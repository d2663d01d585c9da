import Type, { type Static } from 'typebox'

import { Id, nullable } from '../database/columns.ts'
import { type Queryable, sql } from '../database/database.ts'

export const HiddenState = Type.Object({
  item_id: nullable(Id),
  reason: nullable(Type.String()),
})
export type HiddenState = Static<typeof HiddenState>

export async function findHiddenState(db: Queryable, questionId: number): Promise<HiddenState> {
  const [state] = await db.query(
    HiddenState,
    sql`
    SELECT
      (SELECT m.id FROM moderation_items m
        WHERE m.subject_type = 'question' AND m.subject_id = ${questionId} AND m.state = 'held') AS item_id,
      (SELECT d.rejection_reason FROM moderation_items d
        WHERE d.subject_type = 'question' AND d.subject_id = ${questionId} AND d.state = 'rejected' ORDER BY d.id DESC LIMIT 1) AS reason`,
  )
  return state ?? { item_id: null, reason: null }
}
