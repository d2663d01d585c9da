import Type, { type Static } from 'typebox'

import { Count, Id, nullable, stringEnum, type Queryable, sql } from '../database/database.ts'
import type { Outcome } from '../issue-lifecycle/status.ts'
import { typeTexts } from '../request-types/present.ts'
import type { Interval, Period } from './period.ts'
import { type StatisticsFilter, statisticsStatement } from './statement.ts'

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
