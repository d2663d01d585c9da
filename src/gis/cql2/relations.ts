import { raw, type Sql, sql } from '../../database/database.ts'

export const comparisons = ['=', '<>', '<', '<=', '>', '>='] as const
export type Comparison = (typeof comparisons)[number]

const flipped: Readonly<Record<Comparison, Comparison>> = { '=': '=', '<>': '<>', '<': '>', '<=': '>=', '>': '<', '>=': '<=' }
export const flip = (operator: Comparison): Comparison => flipped[operator]

export const operatorSql = (operator: Comparison): Sql => raw(operator)

export const both = (first: Sql, second: Sql): Sql => sql`(${first} AND ${second})`

type Relate = (operator: Comparison) => Sql

/** The comparisons of the starts and ends of two times. */
interface Relations {
  readonly starts: Relate
  readonly ends: Relate
  readonly startToEnd: Relate
  readonly endToStart: Relate
  readonly equals: () => Sql
}

export const temporal = {
  t_after: ({ startToEnd }) => startToEnd('>'),
  t_before: ({ endToStart }) => endToStart('<'),
  t_contains: ({ starts, ends }) => both(starts('<'), ends('>')),
  t_disjoint: ({ endToStart, startToEnd }) => sql`(${endToStart('<')} OR ${startToEnd('>')})`,
  t_during: ({ starts, ends }) => both(starts('>'), ends('<')),
  t_equals: ({ equals }) => equals(),
  t_finishedby: ({ starts, ends }) => both(starts('<'), ends('=')),
  t_finishes: ({ starts, ends }) => both(starts('>'), ends('=')),
  t_intersects: ({ startToEnd, endToStart }) => both(startToEnd('<='), endToStart('>=')),
  t_meets: ({ endToStart }) => endToStart('='),
  t_metby: ({ startToEnd }) => startToEnd('='),
  t_overlappedby: ({ starts, startToEnd, ends }) => both(both(starts('>'), startToEnd('<')), ends('>')),
  t_overlaps: ({ starts, endToStart, ends }) => both(both(starts('<'), endToStart('>')), ends('<')),
  t_startedby: ({ starts, ends }) => both(starts('='), ends('>')),
  t_starts: ({ starts, ends }) => both(starts('='), ends('<')),
} satisfies Readonly<Record<string, (relations: Relations) => Sql>>
export type TemporalFunction = keyof typeof temporal
export const temporalFunctions = Object.keys(temporal) as TemporalFunction[]

export const functionNames = ['CASEI', 'ACCENTI', 'S_INTERSECTS', ...temporalFunctions.map((name) => name.toUpperCase())].join(', ')
