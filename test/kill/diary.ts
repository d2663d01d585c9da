import type { PlannedKill } from './plan.ts'

/** What happened, and when (milliseconds since 1970). */
export interface Diary {
  readonly kills: { readonly at: number; readonly kind: PlannedKill['kind'] }[]
  /** When a process of the service was killed, by its name and generation. */
  readonly deaths: Map<string, number>
  /** When PostgreSQL did not answer. */
  readonly outages: { readonly from: number; to: number }[]
  flushes: number
}

export const newDiary = (): Diary => ({ kills: [], deaths: new Map(), outages: [], flushes: 0 })

export const nameOf = (name: string, generation: number) => `${name}.${generation}`
