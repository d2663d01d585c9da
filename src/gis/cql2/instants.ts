import { type Sql, sql } from '../../database/database.ts'
import type { Comparison } from './ast.ts'

/**
 * A point in time, whole seconds as features show them: a column, or milliseconds since 1970. Infinity is the end of an open interval.
 */
export type Instant = { readonly column: Sql } | { readonly milliseconds: number }

const SECOND_MS = 1_000

const flipped: Readonly<Record<Comparison, Comparison>> = { '=': '=', '<>': '<>', '<': '>', '<=': '>=', '>': '<', '>=': '<=' }
export const flip = (operator: Comparison): Comparison => flipped[operator]

export const operatorSql: Readonly<Record<Comparison, Sql>> = {
  '=': sql`=`,
  '<>': sql`<>`,
  '<': sql`<`,
  '<=': sql`<=`,
  '>': sql`>`,
  '>=': sql`>=`,
}

/** Returns a condition that is null if a column is null. Bounds of a plain column let an index serve it. */
export function compareInstants(operator: Comparison, left: Instant, right: Instant): Sql {
  if ('milliseconds' in left && 'milliseconds' in right)
    return comparisons[operator](left.milliseconds, right.milliseconds) ? sql`TRUE` : sql`FALSE`
  if ('milliseconds' in left) return compareInstants(flip(operator), right, left)
  if ('column' in right)
    return sql`date_trunc('second', ${left.column}) ${operatorSql[operator]} date_trunc('second', ${right.column})`
  return compareWithValue(operator, left.column, right.milliseconds)
}

function compareWithValue(operator: Comparison, column: Sql, milliseconds: number): Sql {
  const at = (value: number) => toTimestampSql(value)
  if (!Number.isFinite(milliseconds)) return sql`${column} ${operatorSql[operator]} ${at(milliseconds)}`
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

const comparisons: Readonly<Record<Comparison, (left: number, right: number) => boolean>> = {
  '=': (left, right) => left === right,
  '<>': (left, right) => left !== right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
}
