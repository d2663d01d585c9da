import { toCsvLine } from '../http/formats/csv.ts'
import type { Language } from '../locales/texts.ts'
import { outcomes } from '../issue-lifecycle/status.ts'
import { otherTypeTexts } from '../request-types/other.ts'
import { translateType } from '../request-types/present.ts'
import { type Interval, listIntervals, type Period, type StatisticsRow } from './queries.ts'
import type { IntervalNumbers, Statistics, Totals, TypeNumbers } from './schema.ts'
import { COUNT_MIN, isSmall, showCount, type ShownCount, showParts } from './small-counts.ts'

interface Requested {
  readonly period: Period
  readonly interval: Interval
  readonly withTypes: boolean
  /** Null shows names of types and organisations in their own language. */
  readonly language: Language | null
}

const flows = ['reported', 'acknowledged', 'closed', 'reopened'] as const
type Flow = (typeof flows)[number]
/** The number of open issues at the end follows from these and from the one at the start. */
const balanced = ['reported', 'closed', 'reopened'] as const

type Flows = Readonly<Record<Flow, ShownCount>>
type CountedFlows = Readonly<Record<Flow, number>>

/** Returns the numbers as they are published: without small counts, and without counts from which these would follow (docs/statistics.md). */
export function toStatistics(rows: readonly StatisticsRow[], requested: Requested): Statistics {
  const { period, interval, withTypes, language } = requested
  const total = rows.find(({ part }) => part === 'total')
  if (!total) throw new Error('An aggregate without groups returned no row')
  const totalFlows = showEach(total)
  const spans = listIntervals(period, interval)
  const found = new Map(rows.flatMap((row) => (row.part === 'interval' ? [[row.interval_key, row] as const] : [])))
  const spanFlows = showFlows(
    spans.map(({ key }) => found.get(key) ?? noFlows),
    totalFlows,
  )
  const ends = accumulate(
    total.open_at_start,
    spans.map(({ key }) => found.get(key)?.opened ?? 0),
  )
  const openCounts = [total.open_at_start, ...ends]
  // One open count that is left out would follow from another one and what was reported, closed and reopened in between.
  const showsOpen = !openCounts.some(isSmall) && isComplete(totalFlows)
  // Between the first and the last incomplete interval, open counts would tell parts of the sum of what is left out; around them they do not.
  const incomplete = spanFlows.flatMap((shown, index) => (isComplete(shown) ? [] : [index]))
  const showsOpenAt = (index: number) => showsOpen && !(index >= (incomplete[0] ?? Infinity) && index < (incomplete.at(-1) ?? 0))
  const openAtEnd = showsOpen ? total.open_at_start + total.opened : null
  return {
    metadata: { from: period.from, until: period.until, interval, time_zone: 'UTC', smallest_count: COUNT_MIN },
    total: {
      open_at_start: showsOpen ? total.open_at_start : null,
      open_at_end: openAtEnd,
      ...totalFlows,
      ...toMeasures(total, totalFlows),
      closed_by_outcome: toOutcomes(total, totalFlows.closed),
    },
    intervals: spans.map(({ key, from, until }, index): IntervalNumbers => {
      const shown = spanFlows[index] ?? noFlows
      return {
        start: from,
        end: until,
        open_at_end: showsOpenAt(index) ? (ends[index] ?? 0) : null,
        ...shown,
        ...toMeasures(found.get(key), shown),
      }
    }),
    types: withTypes ? toTypes(rows, totalFlows, openAtEnd, language) : [],
    errors: {},
  }
}

function toTypes(rows: readonly StatisticsRow[], totals: Flows, openAtEnd: ShownCount, language: Language | null): TypeNumbers[] {
  const types = rows.filter((row) => row.part === 'type')
  const shownFlows = showFlows(types, totals)
  const open = showParts(
    types.map((row) => row.open_at_start + row.opened),
    openAtEnd,
  )
  return types.map((row, index) => {
    const shown = shownFlows[index] ?? noFlows
    const { title, organization } = translateType(toTexts(row), language)
    return { id: row.request_type_id, title, organization, open_at_end: open[index] ?? null, ...shown, ...toMeasures(row, shown) }
  })
}

const toTexts = ({ title, language, ...row }: StatisticsRow) =>
  title === null || language === null ? otherTypeTexts : { ...row, title, language }

const noFlows = { reported: 0, acknowledged: 0, closed: 0, reopened: 0 }
const isComplete = (shown: Flows) => balanced.every((flow) => shown[flow] !== null)

const showEach = (row: CountedFlows): Flows => fromFlows((flow) => showCount(row[flow]))

/** Shows the flows of the parts of a total, such as the intervals of a period. */
function showFlows(parts: readonly CountedFlows[], totals: Flows): Flows[] {
  const columns = fromFlows((flow) =>
    showParts(
      parts.map((part) => part[flow]),
      totals[flow],
    ),
  )
  return parts.map((_, index) => fromFlows((flow) => columns[flow][index] ?? null))
}

const fromFlows = <Value>(toValue: (flow: Flow) => Value): Record<Flow, Value> => ({
  reported: toValue('reported'),
  acknowledged: toValue('acknowledged'),
  closed: toValue('closed'),
  reopened: toValue('reopened'),
})

function accumulate(start: number, increases: readonly number[]): number[] {
  let open = start
  return increases.map((increase) => (open += increase))
}

/** Percentiles and shares of few changes, or of a count that is left out, are left out, too. */
function toMeasures(row: StatisticsRow | undefined, { acknowledged, closed }: Flows) {
  const isShown = { acknowledged: (acknowledged ?? 0) >= COUNT_MIN, closed: (closed ?? 0) >= COUNT_MIN }
  return {
    median_acknowledge_hours: isShown.acknowledged ? toHours(row?.median_acknowledge_s) : null,
    p90_acknowledge_hours: isShown.acknowledged ? toHours(row?.p90_acknowledge_s) : null,
    median_close_hours: isShown.closed ? toHours(row?.median_close_s) : null,
    p90_close_hours: isShown.closed ? toHours(row?.p90_close_s) : null,
    acknowledged_in_time_share: isShown.acknowledged ? toShare(row?.acknowledged_in_time, row?.acknowledged_with_target) : null,
    closed_in_time_share: isShown.closed ? toShare(row?.closed_in_time, row?.closed_with_target) : null,
    confirmed_share: isShown.closed ? toShare(row?.closed_confirmed, row?.closed_with_answer) : null,
  }
}

function toOutcomes({ closed, closed_by_outcome }: StatisticsRow, total: ShownCount): Totals['closed_by_outcome'] {
  const known = outcomes.map((outcome) => closed_by_outcome?.[outcome] ?? 0)
  const shown = showParts([...known, known.reduce((unknown, count) => unknown - count, closed)], total)
  const entries = [...outcomes, 'unknown' as const].map((outcome, index) => [outcome, shown[index] ?? null] as const)
  return Object.fromEntries(entries) as Totals['closed_by_outcome']
}

const toHours = (seconds: number | null = null) => (seconds === null ? null : Math.round(seconds / 360) / 10)
const toShare = (part = 0, whole = 0) => (whole < COUNT_MIN ? null : Math.round((100 * part) / whole) / 100)

const csvNumbers = [
  ...['open_at_start', 'open_at_end', ...flows],
  ...['median_acknowledge_hours', 'p90_acknowledge_hours', 'median_close_hours', 'p90_close_hours'],
  ...['acknowledged_in_time_share', 'closed_in_time_share', 'confirmed_share'],
] as const
const closedBy = [...outcomes, 'unknown'].map((outcome) => `closed_${outcome}`)
const toClosedBy = ({ closed_by_outcome }: Totals) =>
  Object.fromEntries(Object.entries(closed_by_outcome).map(([outcome, count]) => [`closed_${outcome}`, count]))
const csvLabels = ['part', 'start', 'end', 'request_type_id', 'request_type', 'organization'] as const

/** Returns the same numbers as one table (RFC 4180): a row for the whole, for each interval and for each type. */
export function toCsv({ metadata: { from, until }, total, intervals, types }: Statistics): string {
  const toLine = (labels: readonly (string | number | null)[], numbers: Readonly<Record<string, unknown>>) =>
    toCsvLine([...labels, ...[...csvNumbers, ...closedBy].map((name) => (numbers[name] ?? null) as number | null)])
  return [
    toCsvLine([...csvLabels, ...csvNumbers, ...closedBy]),
    toLine(['total', from, until, null, null, null], { ...total, ...toClosedBy(total) }),
    ...intervals.map(({ start, end, ...numbers }) => toLine(['interval', start, end, null, null, null], numbers)),
    ...types.map(({ id, title, organization, ...numbers }) => toLine(['type', from, until, id, title, organization], numbers)),
  ].join('')
}
