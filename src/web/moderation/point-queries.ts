import Type from 'typebox'

import { Id } from '../../database/columns.ts'
import { type Queryable, sql } from '../../database/database.ts'
import type { Point } from '../../geo/point.ts'

const ItemPoint = Type.Object({ id: Id, lng: Type.Number(), lat: Type.Number() })

/** Returns by item the point of its issue, or the centre of the place of its question. Times are shown in their time zone. */
export async function findItemPoints(db: Queryable, itemIds: readonly number[]): Promise<ReadonlyMap<number, Point>> {
  const rows = await db.query(sql.type(ItemPoint)`
    SELECT item.id, coalesce(issue.lng, place.center_lng) AS lng, coalesce(issue.lat, place.center_lat) AS lat
    FROM moderation_items item
    LEFT JOIN comments comment ON item.subject_type = 'comment' AND comment.id = item.subject_id
    LEFT JOIN issues issue ON issue.id = CASE item.subject_type WHEN 'issue' THEN item.subject_id WHEN 'comment' THEN comment.issue_id END
    LEFT JOIN answers answer ON item.subject_type = 'answer' AND answer.id = item.subject_id
    LEFT JOIN questions question
      ON question.id = CASE item.subject_type WHEN 'question' THEN item.subject_id WHEN 'answer' THEN answer.question_id END
    LEFT JOIN places place ON place.id = question.place_id
    WHERE item.id = ANY(${itemIds}::integer[]) AND coalesce(issue.id, place.id) IS NOT NULL`)
  return new Map(rows.map(({ id, lng, lat }) => [id, { lng, lat }]))
}
