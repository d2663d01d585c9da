import type { Language } from '../locales/texts.ts'
import { optimizationFence, type Queryable, type Sql, sql } from '../database/database.ts'
import { distanceTo, toGeography, type Point } from '../geo/shapes.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { type IssueRow, listIssuesByIds } from '../issues/queries.ts'
import { Candidate, isAlike, rankDuplicates, CANDIDATES_MAX, RADIUS_M, describeMatch } from './rules.ts'

interface DuplicateQuery {
  readonly point: Point
  /** Null, `other` and unknown ids match issues of every request type. */
  readonly requestTypeId: number | 'other' | null
  readonly summary?: string | null | undefined
  /** The id of the issue that was just created from the report. */
  readonly excludedId?: number
  /** Leaves out issues that are only near: neither the request type is the same nor the words are similar. */
  readonly onlyAlike?: boolean
}

interface DuplicateReader {
  readonly viewer?: Viewer | null
  readonly now?: Date
  readonly language?: Language
  /** Writes distances in reasons in the units of the reader. */
  readonly writeDistance?: (metres: number) => string
}

export interface DuplicateMatch {
  readonly issue: IssueRow
  readonly distance_m: number
  readonly same_request_type: boolean
  /** A value from 0 to 1 with two decimals; null without a summary. */
  readonly summary_likeness: number | null
  readonly reason: string
}

/** Returns at most three likely duplicates within 200 metres, the best first: public issues that are open or acknowledged. */
export async function findDuplicates(
  db: Queryable,
  query: DuplicateQuery,
  { viewer = null, now = new Date(), language = 'en', writeDistance }: DuplicateReader = {},
): Promise<DuplicateMatch[]> {
  const candidates = await listCandidates(db, query)
  const chosen = rankDuplicates(query.onlyAlike ? candidates.filter(isAlike) : candidates, now)
  if (chosen.length === 0) return []
  const ids = chosen.map(({ id }) => id)
  const issues = await listIssuesByIds(db, ids, viewer)
  return chosen.flatMap((candidate) => {
    const issue = issues.find(({ id }) => id === candidate.id)
    if (!issue) return []
    const { distance_m, type_match, likeness } = candidate
    const reason = describeMatch(candidate, language, writeDistance)
    return [{ issue, distance_m, same_request_type: type_match === 'same', summary_likeness: likeness, reason }]
  })
}

/** A KNN scan would continue beyond a circle with few open issues, so all issues of the circle are read and sorted instead. */
export function listCandidates(db: Queryable, { point, requestTypeId, summary, excludedId }: DuplicateQuery): Promise<Candidate[]> {
  const typeId = typeof requestTypeId === 'number' ? requestTypeId : null
  const text = summary?.trim() ? summary : null
  return db.query(sql.type(Candidate)`
    WITH query AS MATERIALIZED (
      SELECT lower(unaccent(${text}::text)) AS summary,
        (SELECT rt.category FROM request_types rt WHERE rt.id = ${typeId}::integer) AS category)
    SELECT near.id, near.distance_m, near.created_at, ${typeMatchColumn(typeId)} AS type_match,
      round(greatest(strict_word_similarity(q.summary, near.plain), strict_word_similarity(near.plain, q.summary))::numeric, 2) AS likeness
    FROM query q
    CROSS JOIN (
      SELECT i.*, lower(unaccent(i.summary)) AS plain
      FROM (SELECT i.id, i.summary, i.request_type_id, i.category, i.created_at, ${distanceTo(point, sql`i.point`)} AS distance_m
            FROM issues i
            WHERE i.moderation_state = 'passed' AND i.status IN ('Open', 'Acknowledged') AND i.id IS DISTINCT FROM ${excludedId ?? null}::integer
              AND ST_DWithin(i.point::geography, ${toGeography(point)}, ${RADIUS_M}::double precision, false)
            ${optimizationFence}) i
      ORDER BY i.distance_m, i.created_at DESC, i.id DESC
      LIMIT ${CANDIDATES_MAX}::integer) near
    ORDER BY near.distance_m, near.id DESC`)
}

function typeMatchColumn(typeId: number | null): Sql {
  return sql`CASE
    WHEN near.request_type_id = ${typeId}::integer THEN 'same'
    WHEN near.category = q.category AND q.category <> 'other' THEN 'similar'
    WHEN near.request_type_id IS NULL OR q.category IS NULL THEN 'unspecified'
    ELSE 'different' END`
}
