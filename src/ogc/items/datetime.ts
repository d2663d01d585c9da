import { empty } from '../../database/database.ts'
import type { Value } from '../../gis/cql2/ast.ts'
import { readInstant, toIntervalEnd } from '../../gis/cql2/literals.ts'
import { toPeriod } from '../../gis/cql2/periods.ts'

const LOCATION = 1

/**
 * Reads an instant or interval of RFC 3339 timestamps or dates with `..` or nothing as an open end (OGC 17-069r4, 7.15.4). Returns
 * undefined for other text, and for an interval that ends before it begins.
 */
export function parseDatetime(value: string): Value | undefined {
  const ends = value.split('/')
  if (ends.length > 2 || !ends.every((end) => isOpen(end) || readInstant(end) !== undefined)) return undefined
  const [from = null, to] = ends.map((end) => (isOpen(end) ? null : toIntervalEnd(end, LOCATION)))
  if (to === undefined) return from ?? undefined
  const interval: Value = { kind: 'interval', from, to, at: LOCATION }
  const { start, end } = toPeriod(interval, () => empty)
  const isInOrder = 'milliseconds' in start && 'milliseconds' in end && start.milliseconds <= end.milliseconds
  return isInOrder ? interval : undefined
}

const isOpen = (end: string) => end === '' || end === '..'
