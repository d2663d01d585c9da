import { formatDuration } from '../../html/format.ts'
import { type Language, textsIn } from '../../locales/texts.ts'
import { SOON_HOURS } from './conditions.ts'

export interface DueTarget {
  /** The columns `targetDueAt` and `targetDueKind`. */
  readonly due_at: string
  readonly due: 'acknowledge' | 'close'
  readonly paused_at: string | null
}

export type TargetState = 'late' | 'soon' | 'due' | 'paused'

/** Returns the state of a target and its words, such as "close in 3 hours", "2 days late to acknowledge" and "paused". */
export function describeTarget(
  { due_at, due, paused_at }: DueTarget,
  now: Date,
  language: Language,
): { readonly state: TargetState; readonly words: string } {
  const texts = textsIn(language)
  const left_ms = Date.parse(due_at) - (paused_at === null ? now.getTime() : Date.parse(paused_at))
  const state = left_ms < 0 ? 'late' : paused_at !== null ? 'paused' : left_ms < SOON_HOURS * 3_600_000 ? 'soon' : 'due'
  if (state === 'paused') return { state, words: texts('target.paused') }
  const duration = formatDuration(Math.abs(left_ms), language)
  return { state, words: texts(state === 'late' ? `target.late.${due}` : `target.in.${due}`, { duration }) }
}
