import { readInstant } from '../cql2/literals.ts'

/** The first and last millisecond of a time, infinite at open ends. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

const DATE = /^\d{4}-\d{2}-\d{2}$/
const LAST_MS_OF_DAY = 86_399_999
const LAST_MS_OF_SECOND = 999

/**
 * Reads an instant or interval of RFC 3339 timestamps or dates with `..` or nothing as an open end (OGC 17-069r4, 7.15.4). An end
 * lasts to the end of its second or day, since features show whole seconds.
 */
export function readTimeSpan(value: string): TimeSpan | undefined {
  const ends = value.split('/')
  const [from = '', to = from] = ends
  if (ends.length > 2 || value === '' || value === '..') return undefined
  const span = {
    from: isOpen(from) ? -Infinity : (readInstant(from) ?? NaN),
    to: isOpen(to) ? Infinity : lastMillisecond(to),
  }
  return span.from <= span.to ? span : undefined
}

const isOpen = (end: string) => end === '' || end === '..'

function lastMillisecond(end: string): number {
  const first = readInstant(end) ?? NaN
  return DATE.test(end) ? first + LAST_MS_OF_DAY : Math.floor(first / 1_000) * 1_000 + LAST_MS_OF_SECOND
}
