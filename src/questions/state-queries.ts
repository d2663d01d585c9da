import { type Queryable, sql } from '../database/database.ts'

/** What became of a question or an answer that others do not see. */
export interface HiddenState {
  /** What lies before the moderators; null where they have decided. */
  readonly item_id: number | null
  /** What the moderator wrote who rejected it. */
  readonly reason: string | null
}

/** Of a question that is held or rejected, for its asker and for moderators. */
export async function findHiddenState(db: Queryable, questionId: number): Promise<HiddenState> {
  const [state] = await db.query<HiddenState>(sql`
    SELECT
      (SELECT m.id FROM moderation_items m
        WHERE m.subject_type = 'question' AND m.subject_id = ${questionId} AND m.state = 'held') AS item_id,
      (SELECT d.rejection_reason FROM moderation_items d
        WHERE d.subject_type = 'question' AND d.subject_id = ${questionId} AND d.state = 'rejected' ORDER BY d.id DESC LIMIT 1) AS reason`)
  return state ?? { item_id: null, reason: null }
}
