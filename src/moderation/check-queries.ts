import Type, { type Static } from 'typebox'

import { mayAccept } from '../answers/accept-answer.ts'
import { Count, Id, IdRow, nullable, stringEnum } from '../database/columns.ts'
import { type Queryable, type Sql, sql } from '../database/database.ts'
import { isInPlace } from '../geo/area.ts'
import { toGeography } from '../geo/point.ts'
import { findViewer } from '../http/identity/viewer-queries.ts'
import { actorRole } from '../issue-lifecycle/access.ts'
import { reasons, DUPLICATE_WINDOW_S } from '../content-policy/policy.ts'

/** Users are not checked: they come before a moderator only by flags. */
export const checkedTypes = ['issue', 'comment', 'question', 'answer'] as const
type CheckedType = (typeof checkedTypes)[number]

const ItemToCheck = Type.Object({
  id: Id,
  subject_type: stringEnum(checkedTypes),
  subject_id: Id,
  reasons: Type.Array(stringEnum(reasons)),
  author_id: nullable(Id),
  locale: Type.String(),
  lng: Type.Number(),
  lat: Type.Number(),
  place_id: nullable(Id),
  address: nullable(Type.String()),
})
export type ItemToCheck = Static<typeof ItemToCheck>

const subjects: Readonly<Record<CheckedType, (id: number) => Sql>> = {
  issue: (id) => sql`
    SELECT i.reporter_id AS author_id, i.locale, i.lng, i.lat, NULL::integer AS place_id, i.address FROM issues i WHERE i.id = ${id}`,
  comment: (id) => sql`
    SELECT c.commenter_id AS author_id, c.locale, i.lng, i.lat, NULL::integer AS place_id, NULL AS address
    FROM comments c JOIN issues i ON i.id = c.issue_id WHERE c.id = ${id}`,
  question: (id) => sql`
    SELECT q.asker_id AS author_id, q.locale, p.center_lng AS lng, p.center_lat AS lat, p.id AS place_id, NULL AS address
    FROM questions q JOIN places p ON p.id = q.place_id WHERE q.id = ${id}`,
  // A text without a language has the language of its author.
  answer: (id) => sql`
    SELECT a.answerer_id AS author_id, coalesce(a.locale, u.locale, q.locale) AS locale, p.center_lng AS lng, p.center_lat AS lat,
      p.id AS place_id, NULL AS address
    FROM answers a JOIN questions q ON q.id = a.question_id JOIN places p ON p.id = q.place_id LEFT JOIN users u ON u.id = a.answerer_id
    WHERE a.id = ${id}`,
}

/** Returns undefined if the item was decided meanwhile or deleted. */
export async function findItemToCheck(db: Queryable, type: CheckedType, subjectId: number): Promise<ItemToCheck | undefined> {
  const [item] = await db.query(sql.type(ItemToCheck)`
    SELECT item.id, item.subject_type, item.subject_id, item.reasons, s.author_id, s.locale, s.lng, s.lat, s.place_id, s.address
    FROM moderation_items item
    CROSS JOIN (${subjects[type](subjectId)}) s
    WHERE item.subject_type = ${type} AND item.subject_id = ${subjectId} AND item.state = 'held'`)
  return item
}

const NAMES_WITHIN_M = 2_000

const NAMES_MAX = 500

const NameRow = Type.Object({ name: Type.String() })

/** Returns addresses of public issues and names of places near the item, except addresses that the author wrote. */
export async function listNamesNear(db: Queryable, item: ItemToCheck, words: readonly string[]): Promise<string[]> {
  const { near, overlapping } = areaConditions(item)
  const patterns = words.map((word) => `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`)
  const rows = await db.query(sql.type(NameRow)`
    SELECT DISTINCT n.name
    FROM (
      (SELECT i.address AS name
      FROM issues i
      WHERE i.moderation_state = 'passed' AND ${near}
        AND (i.reporter_id = ${item.author_id}::integer) IS NOT TRUE AND i.address ILIKE ANY(${patterns}::text[])
      LIMIT ${NAMES_MAX})
      UNION ALL
      SELECT p.name
      FROM places p
      WHERE ${overlapping}
        AND p.name ILIKE ANY(${patterns}::text[])) n
    ORDER BY n.name`)
  return rows.map(({ name }) => name)
}

function areaConditions(item: ItemToCheck): { readonly near: Sql; readonly overlapping: Sql } {
  if (item.place_id !== null) {
    const city = sql`(SELECT c.boundary FROM places c WHERE c.id = ${item.place_id})`
    return {
      near: isInPlace({ point: sql`i.point`, lng: sql`i.lng`, lat: sql`i.lat` }, item.place_id),
      overlapping: sql`ST_Intersects(p.boundary, ${city})`,
    }
  }
  const within = (shape: Sql) => sql`ST_DWithin(${shape}::geography, ${toGeography(item)}, ${NAMES_WITHIN_M}::float8, false)`
  return { near: within(sql`i.point`), overlapping: within(sql`ST_Segmentize(p.boundary, 0.05)`) }
}

/** Returns whether the author is now an employee for the issue of the comment, or for the city of the answer. */
export async function isWrittenByEmployee(
  db: Queryable,
  { subject_type, subject_id, author_id, place_id }: ItemToCheck,
): Promise<boolean> {
  const author = author_id === null ? undefined : await findViewer(db, author_id)
  if (!author) return false
  if (subject_type === 'answer') return place_id !== null && mayAccept(db, { place_id, asker_id: null }, author)
  const rows = await db.query(sql.type(IdRow)`
    SELECT c.id
    FROM comments c
    JOIN issues i ON i.id = c.issue_id
    WHERE c.id = ${subject_id} AND ${actorRole(author)} = 'employee'`)
  return rows.length > 0
}

const DuplicateCounts = Type.Object({
  /** The reports of the author, or of all guests, with the identical text within an hour of this one, including it. */
  count: Count,
  rejected: Count,
  /** The number of those reports that have another one within the distance. */
  close: Count,
})

/** @param distance_m reports within this distance count as the same problem */
export async function countDuplicateReports(
  db: Queryable,
  issueId: number,
  distance_m: number,
): Promise<Static<typeof DuplicateCounts>> {
  const [counts] = await db.query(sql.type(DuplicateCounts)`
    WITH same AS MATERIALIZED (
      SELECT o.id, o.point, o.moderation_state
      FROM issues i
      JOIN issues o ON (o.reporter_id = i.reporter_id OR o.reporter_id IS NULL AND i.reporter_id IS NULL AND o.imported_at IS NULL)
        AND comparable_text(concat(o.summary, o.description)) = comparable_text(concat(i.summary, i.description))
        AND o.created_at BETWEEN i.created_at - make_interval(secs => ${DUPLICATE_WINDOW_S}) AND i.created_at + make_interval(secs => ${DUPLICATE_WINDOW_S})
      WHERE i.id = ${issueId})
    SELECT count(*)::integer AS count, (count(*) FILTER (WHERE s.moderation_state = 'rejected'))::integer AS rejected,
      (count(*) FILTER (WHERE EXISTS (
        SELECT FROM same o
        WHERE o.id <> s.id AND ST_DWithin(o.point::geography, s.point::geography, ${distance_m}::float8, false))))::integer AS close
    FROM same s`)
  return counts ?? { count: 0, rejected: 0, close: 0 }
}
