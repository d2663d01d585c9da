import Type from 'typebox'

import { IdRow } from '../database/columns.ts'
import { type Queryable, sql } from '../database/database.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { HiddenState } from '../questions/state-queries.ts'
import { type AnswerRow, listAnswersByIds } from './queries.ts'

export interface HiddenAnswer extends HiddenState {
  readonly row: AnswerRow
}

const HiddenRow = Type.Object({ ...IdRow.properties, ...HiddenState.properties })

/** Returns the newest hidden answers, oldest first: all of them for moderators, their own for other callers. */
export async function listHiddenAnswers(
  db: Queryable,
  questionId: number,
  viewer: Viewer | null,
  limit: number,
): Promise<HiddenAnswer[]> {
  if (!viewer) return []
  const newest = await db.query(sql.type(HiddenRow)`
    SELECT a.id, m.id AS item_id,
      (SELECT d.rejection_reason FROM moderation_items d
        WHERE d.subject_type = 'answer' AND d.subject_id = a.id AND d.state = 'rejected' ORDER BY d.id DESC LIMIT 1) AS reason
    FROM answers a
    LEFT JOIN moderation_items m ON m.subject_type = 'answer' AND m.subject_id = a.id AND m.state = 'held'
    WHERE a.question_id = ${questionId} AND a.moderation_state <> 'passed' AND (${viewer.isModerator} OR a.answerer_id = ${viewer.id})
    ORDER BY a.created_at DESC, a.id DESC
    LIMIT ${limit}::integer`)
  const rows = await listAnswersByIds(
    db,
    newest.map(({ id }) => id),
  )
  return newest.reverse().flatMap(({ id, ...state }) => {
    const row = rows.find((one) => one.id === id)
    return row ? [{ row, ...state }] : []
  })
}
