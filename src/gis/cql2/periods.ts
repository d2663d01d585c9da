import { type Sql, sql } from '../../database/database.ts'
import { text } from '../../locales/texts.ts'
import { type Value, FilterError } from './ast.ts'
import { both, type Comparison, flip, operatorSql, temporal, type TemporalFunction } from './relations.ts'

/**
 * A point in time, whole seconds as features show them: a column, or milliseconds since 1970. Infinity is the end of an open interval.
 */
type Instant = { readonly column: Sql } | { readonly milliseconds: number }

const SECOND_MS = 1_000

/** Returns a condition that is null if a column is null. Bounds of a plain column let an index serve it. */
function compareInstants(operator: Comparison, left: Instant, right: Instant): Sql {
  if ('milliseconds' in left && 'milliseconds' in right)
    return sql`${toTimestampSql(left.milliseconds)} ${operatorSql(operator)} ${toTimestampSql(right.milliseconds)}`
  if ('milliseconds' in left) return compareInstants(flip(operator), right, left)
  if ('column' in right)
    return sql`date_trunc('second', ${left.column}) ${operatorSql(operator)} date_trunc('second', ${right.column})`
  return compareWithValue(operator, left.column, right.milliseconds)
}

function compareWithValue(operator: Comparison, column: Sql, milliseconds: number): Sql {
  const at = (value: number) => toTimestampSql(value)
  if (!Number.isFinite(milliseconds)) return sql`${column} ${operatorSql(operator)} ${at(milliseconds)}`
  const floor = Math.floor(milliseconds / SECOND_MS) * SECOND_MS
  const ceiling = Math.ceil(milliseconds / SECOND_MS) * SECOND_MS
  switch (operator) {
    case '<':
      return sql`${column} < ${at(ceiling)}`
    case '<=':
      return sql`${column} < ${at(floor + SECOND_MS)}`
    case '>':
      return sql`${column} >= ${at(floor + SECOND_MS)}`
    case '>=':
      return sql`${column} >= ${at(ceiling)}`
    case '=':
      // A value between two seconds has an empty range, so that a null column stays null.
      return sql`(${column} >= ${at(ceiling)} AND ${column} < ${at(floor + SECOND_MS)})`
    case '<>':
      return sql`NOT (${column} >= ${at(ceiling)} AND ${column} < ${at(floor + SECOND_MS)})`
  }
}

/** PostgreSQL reads years up to 294276, which is beyond what the parser accepts. */
function toTimestampSql(milliseconds: number): Sql {
  if (milliseconds === Infinity) return sql`'infinity'::timestamptz`
  if (milliseconds === -Infinity) return sql`'-infinity'::timestamptz`
  return sql`to_timestamp(${milliseconds / SECOND_MS}::double precision)`
}

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
  const isInterval = left.kind === 'interval' || right.kind === 'interval'
  return temporal[name]({
    ...{ starts, ends },
    equals: () => (isInterval ? both(starts('='), ends('=')) : comparePeriods('=', left, right)),
    startToEnd: (operator) => compareInstants(operator, left.start, right.end),
    endToStart: (operator) => compareInstants(operator, left.end, right.start),
  })
}
