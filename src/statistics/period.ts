import { text } from '../locales/texts.ts'
import { problems } from '../errors/problems.ts'

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
export const endOfPeriod = ({ until }: Period): string => toDate(addDays(parseDate(until), 1))

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
