import { type Queryable, sql } from '../database/database.ts'
import { geographyOf, type Point } from '../geo/point.ts'
import { findViewer } from '../http/access-queries.ts'
import { standingOf } from '../issues/queries.ts'
import type { Reason } from './rules.ts'
import { SAME_WITHIN_S } from './rules.ts'
import type { SubjectType } from './subject-texts.ts'

/** An open item and what the slower checks have to know of it. */
export interface ItemToCheck {
  readonly id: number
  readonly subject_type: SubjectType
  readonly subject_id: number
  readonly reasons: readonly Reason[]
  readonly author_id: number | null
  readonly locale: string
  readonly lng: number
  readonly lat: number
  /** Of the report; null of a comment. */
  readonly address: string | null
}

/** Undefined where it was decided meanwhile, or is gone. */
export async function findItemToCheck(db: Queryable, type: SubjectType, subjectId: number): Promise<ItemToCheck | undefined> {
  const subject =
    type === 'issue'
      ? sql`SELECT i.reporter_id AS author_id, i.locale, i.lng, i.lat, i.address FROM issues i WHERE i.id = ${subjectId}`
      : sql`SELECT c.commenter_id AS author_id, c.locale, i.lng, i.lat, NULL AS address
          FROM comments c JOIN issues i ON i.id = c.issue_id WHERE c.id = ${subjectId}`
  const [item] = await db.query<ItemToCheck>(sql`
    SELECT m.id, m.subject_type, m.subject_id, m.reasons, s.author_id, s.locale, s.lng, s.lat, s.address
    FROM moderation_items m CROSS JOIN (${subject}) s
    WHERE m.subject_type = ${type} AND m.subject_id = ${subjectId} AND m.state = 'held'`)
  return item
}

/** As far as a street goes. */
const NAMES_WITHIN_M = 2_000
/** More addresses with one word would say the same. */
const NAMES_MAX = 500

/**
 * Addresses of public issues around a point that have one of these words in them, and names of places there. What the author themselves
 * wrote into an address counts for nothing.
 */
export async function listNamesNear(
  db: Queryable,
  point: Point,
  words: readonly string[],
  authorId: number | null,
): Promise<string[]> {
  const patterns = words.map((word) => `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`)
  const rows = await db.query<{ name: string }>(sql`
    SELECT DISTINCT n.name FROM (
      (SELECT i.address AS name
      FROM issues i
      WHERE i.moderation_state = 'passed' AND ST_DWithin(i.point::geography, ${geographyOf(point)}, ${NAMES_WITHIN_M}::float8, false)
        AND (i.reporter_id = ${authorId}::integer) IS NOT TRUE AND i.address ILIKE ANY(${patterns}::text[])
      LIMIT ${NAMES_MAX})
      UNION ALL
      SELECT p.name FROM places p
      WHERE ST_DWithin(ST_Segmentize(p.boundary, 0.05)::geography, ${geographyOf(point)}, ${NAMES_WITHIN_M}::float8, false)
        AND p.name ILIKE ANY(${patterns}::text[])) n
    ORDER BY n.name`)
  return rows.map(({ name }) => name)
}

/** Whether the author of a comment acts for its issue as an employee, now. */
export async function isOfEmployee(db: Queryable, { subject_id, author_id }: ItemToCheck): Promise<boolean> {
  const author = author_id === null ? undefined : await findViewer(db, author_id)
  if (!author) return false
  const rows = await db.query(sql`
    SELECT c.id FROM comments c JOIN issues i ON i.id = c.issue_id
    WHERE c.id = ${subject_id} AND ${standingOf(author)} = 'employee'`)
  return rows.length > 0
}

export interface Repetitions {
  /** The author's reports with the identical whole text within an hour of this one, this one among them. */
  readonly count: number
  readonly rejected: number
  /** How many of them have another within the distance. */
  readonly close: number
}

/** @param distance_m two reports that are no farther from each other are of the same thing */
export async function countRepetitions(db: Queryable, issueId: number, distance_m: number): Promise<Repetitions> {
  const [found] = await db.query<Repetitions>(sql`
    WITH same AS MATERIALIZED (
      SELECT o.id, o.point, o.moderation_state
      FROM issues i
      JOIN issues o ON o.reporter_id = i.reporter_id
        AND same_text(concat(o.summary, o.description)) = same_text(concat(i.summary, i.description))
        AND o.created_at BETWEEN i.created_at - make_interval(secs => ${SAME_WITHIN_S}) AND i.created_at + make_interval(secs => ${SAME_WITHIN_S})
      WHERE i.id = ${issueId})
    SELECT count(*)::integer AS count, (count(*) FILTER (WHERE s.moderation_state = 'rejected'))::integer AS rejected,
      (count(*) FILTER (WHERE EXISTS (
        SELECT FROM same o WHERE o.id <> s.id AND ST_DWithin(o.point::geography, s.point::geography, ${distance_m}::float8, false))))::integer AS close
    FROM same s`)
  return found ?? { count: 0, rejected: 0, close: 0 }
}
