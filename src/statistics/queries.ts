import { text } from '../locales/texts.ts'
import { problems } from '../errors/problems.ts'
import { join, optimizationFence, type Sql, sql, type Queryable, Count, Id, nullable, stringEnum } from '../database/database.ts'
import { type Area, isInAreaByCoordinates } from '../geo/area.ts'
import { polygonBounds } from '../geo/polygon.ts'
import { rangesAround } from '../geo/pyramid/area-cells.ts'
import type { IdFilter } from '../issues/list/filter.ts'
import { hasIdIn, isEverywhere } from '../issues/list/conditions.ts'
import { isOfOrganizations } from '../issue-lifecycle/acting-organizations.ts'
import { typeTextColumns, typeTexts } from '../request-types/present.ts'
import Type, { type Static } from 'typebox'
import type { Outcome } from '../issue-lifecycle/status.ts'

export const intervals = ['day', 'week', 'month'] as const
export type Interval = (typeof intervals)[number]

export const YEARS_MAX = 5
const MONTHS_DEFAULT = 12

/** Days in UTC, as ISO 8601 dates. Both belong to the period. */
export interface Period {
  readonly from: string
  readonly until: string
}

/**
 * Returns the period of a query. By default it ends today and begins with the month eleven months before.
 * @throws Problem 422 for a period that ends before it begins or is longer than five years
 */
export function parsePeriod(query: Partial<Period>, now: Date): Period {
  const until = query.until ?? toDate(now)
  const from = query.from ?? `${toDate(addMonths(parseDate(until), 1 - MONTHS_DEFAULT)).slice(0, 7)}-01`
  if (from > until) throw problems.invalid({ from: text('period_reversed', { until }) })
  if (addMonths(parseDate(from), 12 * YEARS_MAX) <= parseDate(until))
    throw problems.invalid({ from: text('period_too_long', { years: YEARS_MAX, until }) })
  return { from, until }
}

/** Returns the day after the period. */
const endOfPeriod = ({ until }: Period): string => toDate(addDays(parseDate(until), 1))

/**
 * Returns the days, weeks (from Monday, ISO 8601) or months of a period. The first and the last one are cut to it.
 * @returns `key` is the first day of the whole interval, as `date_trunc` of PostgreSQL returns it
 */
export function listIntervals(period: Period, interval: Interval): readonly (Period & { readonly key: string })[] {
  const found: (Period & { key: string })[] = []
  let start = startOf(parseDate(period.from), interval)
  while (toDate(start) <= period.until) {
    const next = interval === 'month' ? addMonths(start, 1) : addDays(start, interval === 'week' ? 7 : 1)
    const [key, last] = [toDate(start), toDate(addDays(next, -1))]
    found.push({ key, from: key > period.from ? key : period.from, until: last < period.until ? last : period.until })
    start = next
  }
  return found
}

function startOf(date: Date, interval: Interval): Date {
  if (interval === 'month') return addDays(date, 1 - date.getUTCDate())
  return interval === 'week' ? addDays(date, -((date.getUTCDay() + 6) % 7)) : date
}

const parseDate = (date: string) => new Date(`${date}T00:00:00Z`)
const toDate = (date: Date) => date.toISOString().slice(0, 10)
const addDays = (date: Date, days: number) => new Date(date.getTime() + days * 86_400_000)

/** A day that the month does not have becomes its last one. */
function addMonths(date: Date, months: number): Date {
  const first = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1))
  const lastDay = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  return addDays(first, Math.min(date.getUTCDate(), lastDay) - 1)
}

export interface StatisticsFilter {
  readonly area: Area
  readonly requestTypes: IdFilter | undefined
  readonly organizations: readonly number[] | undefined
}

interface Selection {
  readonly filter: StatisticsFilter
  readonly period: Period
  readonly interval: Interval
}

/**
 * Returns the statement for the numbers of a period: a row for the whole, for each interval in which something happened, and for each request type.
 *
 * `matching` are the public issues of the area, each with its times, from an index alone. `recorded` are the changes since the start of issues that were
 * reopened, from the history: the own times of all others are complete, as those of an import are all that is known. So `changes` adds the times of an
 * issue that no recorded change has, and `measured` their targets and answers, and the reports. The outcome is known of the last closing of an issue. A change of a status that is open or acknowledged to one that
 * is not closes the issue: `opened` is -1, 0 or 1, and what was open before is what is open now without the changes since.
 */
function statisticsStatement({ filter, period, interval }: Selection): Sql {
  const [start, end] = [midnight(period.from), midnight(endOfPeriod(period))]
  return sql`
  WITH matching AS MATERIALIZED (${issuesIn(filter, start, end)}),
  active AS MATERIALIZED (
    SELECT m.* FROM matching m WHERE greatest(m.acknowledged_at, m.closed_at, m.reopened_at) >= ${start}),
  recorded AS MATERIALIZED (
    SELECT m.id, m.request_type_id, m.created_at, m.closed_at, m.outcome, m.is_open, s.created_at AS at, s.from_status IN ('Open', 'Acknowledged') AS was_open,
      CASE WHEN s.to_status = 'Closed' THEN 'closed' WHEN s.from_status = 'Closed' THEN 'reopened' ELSE 'acknowledged' END AS kind
    FROM active m CROSS JOIN LATERAL (
      SELECT s.created_at, s.from_status, s.to_status FROM status_changes s
      WHERE s.issue_id = m.id AND s.from_status IS NOT NULL AND s.to_status <> 'Archived' AND s.created_at >= ${start}
      ${optimizationFence}) s
    WHERE m.reopened_at IS NOT NULL OR m.is_open <> (m.closed_at IS NULL)),
  changes AS (
    SELECT r.* FROM recorded r
    UNION ALL
    SELECT m.id, m.request_type_id, m.created_at, m.closed_at, m.outcome, m.is_open, greatest(own.at, m.created_at), own.was_open, own.kind
    FROM active m CROSS JOIN LATERAL (VALUES
      ('acknowledged', TRUE, m.acknowledged_at), ('closed', TRUE, m.closed_at), ('reopened', FALSE, m.reopened_at)) own (kind, was_open, at)
    WHERE own.at >= ${start} AND NOT EXISTS (SELECT FROM recorded r WHERE r.id = m.id AND r.at = own.at)),
  measured AS (
    SELECT c.*, t.started_at, t.acknowledge_by, t.close_by, answered.is_confirmed FROM changes c
    LEFT JOIN LATERAL (
      SELECT t.started_at, t.acknowledge_by, t.close_by FROM issue_targets t WHERE t.issue_id = c.id ${optimizationFence}) t ON TRUE
    LEFT JOIN LATERAL (
      SELECT 2 * count(*) FILTER (WHERE a.is_fixed) > count(*) AS is_confirmed
      FROM closing_answers a JOIN status_changes s ON s.id = a.status_change_id
      WHERE a.issue_id = c.id AND s.created_at = c.at HAVING count(*) > 0) answered ON TRUE
    UNION ALL
    SELECT m.id, m.request_type_id, m.created_at, m.closed_at, m.outcome, m.is_open, m.created_at, FALSE, 'reported', NULL, NULL, NULL, NULL
    FROM matching m WHERE m.created_at >= ${start}),
  events AS (
    SELECT c.kind, c.request_type_id, c.at < ${end} AS is_in_period, 0 AS open_now,
      CASE WHEN c.at < ${end} THEN date_trunc(${interval}::text, c.at AT TIME ZONE 'UTC')::date::text END AS interval_key,
      greatest(extract(epoch FROM c.at - c.created_at)::float8, 0) AS seconds,
      CASE WHEN c.kind = 'closed' AND c.at = c.closed_at THEN c.outcome END AS outcome,
      CASE WHEN c.at >= c.started_at THEN c.at <= CASE c.kind WHEN 'acknowledged' THEN c.acknowledge_by WHEN 'closed' THEN c.close_by END END AS is_in_time,
      c.is_confirmed,
      lead(c.was_open, 1, c.is_open) OVER (PARTITION BY c.id ORDER BY c.at, c.kind = 'reported' DESC, c.kind)::integer - c.was_open::integer AS opened
    FROM measured c
    UNION ALL
    SELECT 'open', m.request_type_id, FALSE, count(*)::integer, NULL, 0, NULL, NULL, NULL, 0 FROM matching m WHERE m.is_open GROUP BY m.request_type_id),
  counted AS (
    SELECT GROUPING(e.interval_key, e.request_type_id) AS grouping, e.interval_key, e.request_type_id,
      ${count(sql`e.kind = 'reported'`)} AS reported, ${count(isAcknowledged)} AS acknowledged,
      ${count(isClosed)} AS closed, ${count(sql`e.kind = 'reopened'`)} AS reopened,
      ${countInTime(isAcknowledged, sql`acknowledged`)}, ${countInTime(isClosed, sql`closed`)},
      ${count(sql`${isClosed} AND e.is_confirmed IS NOT NULL`)} AS closed_with_answer, ${count(sql`${isClosed} AND e.is_confirmed`)} AS closed_confirmed,
      sum(e.open_now - e.opened) AS open_at_start,
      coalesce(sum(e.opened) FILTER (WHERE e.is_in_period), 0) AS opened,
      ${percentiles(isAcknowledged)} AS acknowledged_seconds, ${percentiles(isClosed)} AS closed_seconds
    FROM events e
    GROUP BY GROUPING SETS ((), (e.interval_key), (e.request_type_id))),
  outcomes AS (
    SELECT coalesce(json_object_agg(o.outcome, o.closed), '{}') AS counts FROM (
      SELECT e.outcome, count(*) AS closed FROM events e WHERE e.is_in_period AND e.outcome IS NOT NULL GROUP BY e.outcome) o)
  SELECT CASE counted.grouping WHEN 3 THEN 'total' WHEN 1 THEN 'interval' ELSE 'type' END AS part, counted.interval_key, counted.request_type_id,
    counted.reported, counted.acknowledged, counted.closed, counted.reopened,
    counted.acknowledged_with_target, counted.acknowledged_in_time, counted.closed_with_target, counted.closed_in_time,
    counted.closed_with_answer, counted.closed_confirmed,
    coalesce(counted.open_at_start, 0)::integer AS open_at_start, counted.opened::integer, 
    counted.acknowledged_seconds[1] AS median_acknowledge_s, counted.acknowledged_seconds[2] AS p90_acknowledge_s,
    counted.closed_seconds[1] AS median_close_s, counted.closed_seconds[2] AS p90_close_s,
    CASE WHEN counted.grouping = 3 THEN outcomes.counts END AS closed_by_outcome, ${typeTextColumns}
  FROM counted CROSS JOIN outcomes
  LEFT JOIN request_types rt ON rt.id = counted.request_type_id
  LEFT JOIN organizations o ON o.id = rt.organization_id
  WHERE counted.grouping <> 1 OR counted.interval_key IS NOT NULL
  ORDER BY counted.grouping DESC, counted.interval_key, counted.reported DESC, counted.request_type_id`
}

const midnight = (day: string): Sql => sql`${`${day}T00:00:00Z`}::timestamptz`

const isAcknowledged = sql`e.kind = 'acknowledged'`
const isClosed = sql`e.kind = 'closed'`

const count = (kind: Sql): Sql => sql`(count(*) FILTER (WHERE e.is_in_period AND ${kind}))::integer`

/** A change before the clock of the target started, such as the closing of an issue that was reopened, has none. */
const countInTime = (kind: Sql, name: Sql): Sql => sql`
      ${count(sql`${kind} AND e.is_in_time IS NOT NULL`)} AS ${name}_with_target, ${count(sql`${kind} AND e.is_in_time`)} AS ${name}_in_time`

const percentiles = (kind: Sql): Sql =>
  sql`percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY e.seconds) FILTER (WHERE e.is_in_period AND ${kind})`

/** Returns the issues that were reported before the end and are open or changed after the start. The fence forces index-only scans of cells, whatever the planner estimates. */
function issuesIn({ area, requestTypes, organizations }: StatisticsFilter, start: Sql, end: Sql): Sql {
  const predicates = [
    sql`i.created_at < ${end}`,
    sql`(i.status IN ('Open', 'Acknowledged') OR greatest(i.created_at, i.acknowledged_at, i.closed_at, i.reopened_at) >= ${start})`,
    ...(requestTypes ? [hasIdIn(sql`i.request_type_id`, requestTypes)] : []),
    ...(organizations ? [isOfOrganizations(organizations)] : []),
  ]
  const columns = sql`i.id, i.request_type_id, i.created_at, i.acknowledged_at, i.closed_at, i.reopened_at, i.status, i.outcome`
  const isPublic = sql`i.moderation_state = 'passed'`
  return sql`
    SELECT i.id, i.request_type_id, i.created_at, i.acknowledged_at, i.closed_at, i.reopened_at, i.outcome, i.status IN ('Open', 'Acknowledged') AS is_open
    FROM ${isEverywhere(area) ? sql`issues i` : issuesInCells(area, columns, isPublic)}
    WHERE ${join([...(isEverywhere(area) ? [isPublic] : []), ...predicates], ' AND ')}`
}

function issuesInCells(area: Area, columns: Sql, isPublic: Sql): Sql {
  // A polygon that is not stored has no cells of its own.
  const box: Area | undefined = area.kind === 'polygon' ? { kind: 'box', box: polygonBounds(area.geojson) } : undefined
  const around = rangesAround(box ?? area, true)
  if (!around) throw new Error('The area has no cells')
  const isInArea = box ? sql`(${isInAreaByCoordinates(box)} AND ${isInAreaByCoordinates(area)})` : isInAreaByCoordinates(area)
  return sql`${around.ranges} range
    CROSS JOIN LATERAL (
      SELECT ${columns} FROM issues i
      WHERE i.cell BETWEEN range.first AND range.last AND ${isPublic} AND ${around.hasInner ? sql`(range.is_inner OR ${isInArea})` : isInArea}
      ${optimizationFence}) i`
}

const Seconds = nullable(Type.Number({ minimum: 0 }))

export const StatisticsRow = Type.Object({
  part: stringEnum(['total', 'interval', 'type']),
  /** The first day of the whole interval. */
  interval_key: nullable(Type.String()),
  request_type_id: nullable(Id),
  reported: Count,
  acknowledged: Count,
  closed: Count,
  reopened: Count,
  acknowledged_with_target: Count,
  acknowledged_in_time: Count,
  closed_with_target: Count,
  closed_in_time: Count,
  /** Closings that residents answered, and those of which more than half say that the problem is fixed. */
  closed_with_answer: Count,
  closed_confirmed: Count,
  /** The number of issues that were open before the period. It has no meaning in the row of an interval. */
  open_at_start: Type.Integer(),
  /** The increase of this number. */
  opened: Type.Integer(),
  median_acknowledge_s: Seconds,
  p90_acknowledge_s: Seconds,
  median_close_s: Seconds,
  p90_close_s: Seconds,
  /** The numbers of closings with a known outcome; null in other rows than the total. */
  closed_by_outcome: nullable(Type.Unsafe<Readonly<Partial<Record<Outcome, number>>>>({ type: 'object' })),
  ...typeTexts,
  /** It is null for the type `other` of issues without one, and in other rows. */
  title: nullable(Type.String()),
  language: nullable(Type.String()),
})
export type StatisticsRow = Static<typeof StatisticsRow>

/** Returns the exact numbers of a period: the total first, then intervals in order, then types. Show them with `toStatistics`. */
export function readStatistics(
  db: Queryable,
  selection: { readonly filter: StatisticsFilter; readonly period: Period; readonly interval: Interval },
): Promise<StatisticsRow[]> {
  return db.query(sql.type(StatisticsRow)`${statisticsStatement(selection)}`)
}
