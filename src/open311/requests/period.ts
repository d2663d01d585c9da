import { text } from '../../locales/texts.ts'
import { readTimestamp } from '../../http/schema/timestamps.ts'
import { invalidParameter, mustBe, type Parameters } from '../input/parameters.ts'

const DAY_MS = 86_400_000
/** GeoReport v2: the default and the longest span of `requested_datetime`. */
export const SPAN_DAYS = 90
const SPAN_MS = SPAN_DAYS * DAY_MS
const [EARLIEST, LATEST] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59Z')]

export interface Period {
  /** Bounds in ISO 8601; those named `Before` are exclusive. */
  readonly createdFrom?: string | undefined
  readonly createdBefore?: string | undefined
  readonly updatedFrom?: string | undefined
  readonly updatedBefore?: string | undefined
}

/** @throws Problem 422 for a value that is no timestamp */
export const readAnyPeriod = (parameters: Parameters): Period => ({
  createdFrom: format(readFrom(parameters, 'start_date')),
  createdBefore: format(readTo(parameters, 'end_date')?.before),
  ...readUpdatePeriod(parameters),
})

const readUpdatePeriod = (parameters: Parameters) => ({
  updatedFrom: format(readFrom(parameters, 'updated_after')),
  updatedBefore: format(readTo(parameters, 'updated_before')?.before),
})

/**
 * Returns the period of a list. Without `start_date` and `end_date` it begins 90 days ago, at the beginning of that day in UTC so that the
 * list has the same ETag all day; with one of them, it has 90 days. With a bound of the update alone, any date of the request is included.
 * @throws Problem 422 for a value that is no timestamp, or a span of more than 90 days
 */
export function readPeriod(parameters: Parameters, now: Date): { readonly period: Period; readonly isDefault: boolean } {
  const [start, end] = [readFrom(parameters, 'start_date'), readTo(parameters, 'end_date')]
  const updated = readUpdatePeriod(parameters)
  if (start !== undefined && end !== undefined && end.last - start > SPAN_MS)
    throw invalidParameter('end_date', text('span_too_long', { days: SPAN_DAYS }))
  if (start !== undefined || end !== undefined) {
    const createdFrom = format(start ?? (end && end.last - SPAN_MS))
    const createdBefore = format(end?.before ?? (start && start + SPAN_MS + 1_000))
    return { period: { ...updated, createdFrom, createdBefore }, isDefault: false }
  }
  if (updated.updatedFrom !== undefined || updated.updatedBefore !== undefined) return { period: updated, isDefault: false }
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  return { period: { createdFrom: format(today - SPAN_MS) }, isDefault: true }
}

const readFrom = (parameters: Parameters, name: string) => read(parameters, name)?.time

/** The bound is inclusive to the second, as times are shown; a date without a time is the whole day. */
function readTo(parameters: Parameters, name: string) {
  const found = read(parameters, name)
  if (!found) return undefined
  const before = found.isDate ? found.time + DAY_MS : Math.floor(found.time / 1_000) * 1_000 + 1_000
  return { last: found.time, before }
}

function read(parameters: Parameters, name: string): { readonly time: number; readonly isDate: boolean } | undefined {
  const value = parameters.get(name)
  if (value === undefined) return undefined
  const timestamp = value.length <= 40 ? readTimestamp(value) : undefined
  if (timestamp === undefined) throw mustBe(name, text('timestamp_in_address'))
  return { time: Date.parse(timestamp), isDate: !value.includes('T') }
}

const format = (time: number | undefined) =>
  time === undefined ? undefined : new Date(Math.min(Math.max(time, EARLIEST), LATEST)).toISOString()
