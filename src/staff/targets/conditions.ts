import { type Sql, sql } from '../../database/database.ts'
import { formatDuration } from '../../html/format.ts'
import { type Language, textsIn } from '../../locales/texts.ts'

/** Late to be acknowledged, late to be closed, and due within a day. */
export const lateKinds = ['acknowledge', 'close', 'soon'] as const
type LateKind = (typeof lateKinds)[number]

const SOON_HOURS = 24

const acknowledgeIsPending = sql`i.status = 'Open' AND i.acknowledged_at IS NULL`
const closeIsPending = sql`i.status IN ('Open', 'Acknowledged')`
const acknowledgeBy = sql`CASE WHEN ${acknowledgeIsPending} THEN target.acknowledge_by END`
const closeBy = sql`CASE WHEN ${closeIsPending} THEN target.close_by END`

/** The next time that issue `i` has to meet, by its row `target` of issue_targets, or null. */
export const targetDueAt: Sql = sql`least(${acknowledgeBy}, ${closeBy})`

/** The name of that step: `acknowledge`, `close` or null. */
export const targetDueKind: Sql = sql`CASE WHEN ${acknowledgeBy} <= coalesce(${closeBy}, 'infinity') THEN 'acknowledge' WHEN ${closeBy} IS NOT NULL THEN 'close' END`

/** The next time after which issue `i` is late; without one, or with a paused clock, the year 9999. The expression is that of issues_due_idx. */
export const dueAt: Sql = sql`coalesce(least(CASE WHEN ${acknowledgeIsPending} THEN i.acknowledge_due END,
  CASE WHEN ${closeIsPending} THEN i.close_due END), '9999-12-31 00:00:00+00'::timestamptz)`

/** Returns whether issue `i` is late, or due soon. The clock of a paused target stands still. */
export function isLate(kind: LateKind, now: Date): Sql {
  const at = sql`${now.toISOString()}::timestamptz`
  switch (kind) {
    case 'acknowledge':
      return sql`(${acknowledgeIsPending} AND i.acknowledge_due < ${at})`
    case 'close':
      return sql`(${closeIsPending} AND i.close_due < ${at})`
    case 'soon':
      return sql`(${closeIsPending} AND ${dueAt} >= ${at} AND ${dueAt} < ${at} + make_interval(hours => ${SOON_HOURS}::integer))`
  }
}

interface DueTarget {
  /** The columns `targetDueAt` and `targetDueKind`. */
  readonly due_at: string | null
  readonly due: 'acknowledge' | 'close' | null
  readonly paused_at: string | null
}

type TargetState = 'late' | 'soon' | 'due' | 'paused'

/** Returns the state of a target and its words, such as "close in 3 hours", "2 days late to acknowledge" and "paused"; undefined without a step that is due. */
export function describeTarget(
  { due_at, due, paused_at }: DueTarget,
  now: Date,
  language: Language,
): { readonly state: TargetState; readonly words: string } | undefined {
  if (due_at === null || due === null) return undefined
  const texts = textsIn(language)
  const left_ms = Date.parse(due_at) - (paused_at === null ? now.getTime() : Date.parse(paused_at))
  const state = left_ms < 0 ? 'late' : paused_at !== null ? 'paused' : left_ms < SOON_HOURS * 3_600_000 ? 'soon' : 'due'
  if (state === 'paused') return { state, words: texts('target.paused') }
  const duration = formatDuration(Math.abs(left_ms), language)
  return { state, words: texts(state === 'late' ? `target.late.${due}` : `target.in.${due}`, { duration }) }
}
