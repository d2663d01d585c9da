import { text } from '../../locales/texts.ts'
import { type Sql, sql } from '../../database/database.ts'
import type { Comparison, TemporalFunction, Value } from './ast.ts'
import { FilterError } from './error.ts'
import { compareInstants, flip, type Instant } from './instants.ts'

/** A time with its first and last second. A date lasts from 00:00:00 to 23:59:59 in UTC. */
export interface Period {
  readonly kind: 'instant' | 'date' | 'interval'
  readonly start: Instant
  readonly end: Instant
}

type PropertyValue = Extract<Value, { kind: 'property' }>

const LAST_SECOND_OF_DAY_MS = 86_399_000

/** @throws FilterError for values that are not temporal */
export function toPeriod(value: Value, toColumn: (property: PropertyValue) => Sql): Period {
  switch (value.kind) {
    case 'property':
      return toInstantPeriod({ column: toColumn(value) })
    case 'timestamp':
      return toInstantPeriod({ milliseconds: value.value })
    case 'date':
      return { kind: 'date', start: { milliseconds: value.value }, end: { milliseconds: value.value + LAST_SECOND_OF_DAY_MS } }
    case 'interval':
      return {
        kind: 'interval',
        start: value.from ? toEnd(value.from).start : { milliseconds: -Infinity },
        end: value.to ? toEnd(value.to).end : { milliseconds: Infinity },
      }
    default:
      throw new FilterError(text('expected_only', { expected: text('filter_temporal') }), value.at)
  }

  function toEnd(end: Value): Period {
    if (end.kind === 'interval') throw new FilterError(text('expected_only', { expected: text('filter_instant') }), end.at)
    return toPeriod(end, toColumn)
  }
}

const toInstantPeriod = (instant: Instant): Period => ({ kind: 'instant', start: instant, end: instant })

const both = (first: Sql, second: Sql): Sql => sql`(${first} AND ${second})`

/** Compares two times; an instant equals a date if it lies in it. */
export function comparePeriods(operator: Comparison, left: Period, right: Period): Sql {
  if (left.kind === 'date' && right.kind === 'instant') return comparePeriods(flip(operator), right, left)
  switch (operator) {
    case '=':
      return both(compareInstants('>=', left.start, right.start), compareInstants('<=', left.end, right.end))
    case '<>':
      return sql`NOT ${comparePeriods('=', left, right)}`
    case '<':
      return compareInstants('<', left.end, right.start)
    case '<=':
      return compareInstants('<=', left.end, right.end)
    case '>':
      return compareInstants('>', left.start, right.end)
    case '>=':
      return compareInstants('>=', left.start, right.start)
  }
}

/** Compares two times by the interval algebra of Allen, as CQL2 defines its temporal functions. */
export function compareTemporally(name: TemporalFunction, left: Period, right: Period): Sql {
  const starts = (operator: Comparison) => compareInstants(operator, left.start, right.start)
  const ends = (operator: Comparison) => compareInstants(operator, left.end, right.end)
  const startToEnd = (operator: Comparison) => compareInstants(operator, left.start, right.end)
  const endToStart = (operator: Comparison) => compareInstants(operator, left.end, right.start)
  switch (name) {
    case 't_after':
      return startToEnd('>')
    case 't_before':
      return endToStart('<')
    case 't_contains':
      return both(starts('<'), ends('>'))
    case 't_disjoint':
      return sql`(${endToStart('<')} OR ${startToEnd('>')})`
    case 't_during':
      return both(starts('>'), ends('<'))
    case 't_equals':
      return left.kind === 'interval' || right.kind === 'interval' ? both(starts('='), ends('=')) : comparePeriods('=', left, right)
    case 't_finishedby':
      return both(starts('<'), ends('='))
    case 't_finishes':
      return both(starts('>'), ends('='))
    case 't_intersects':
      return both(startToEnd('<='), endToStart('>='))
    case 't_meets':
      return endToStart('=')
    case 't_metby':
      return startToEnd('=')
    case 't_overlappedby':
      return sql`(${starts('>')} AND ${startToEnd('<')} AND ${ends('>')})`
    case 't_overlaps':
      return sql`(${starts('<')} AND ${endToStart('>')} AND ${ends('<')})`
    case 't_startedby':
      return both(starts('='), ends('>'))
    case 't_starts':
      return both(starts('='), ends('<'))
  }
}
