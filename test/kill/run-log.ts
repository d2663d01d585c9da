import type { PlannedKill } from './plan.ts'

/** A log of kills and outages, in milliseconds since 1970. */
export interface RunLog {
  readonly kills: { readonly at: number; readonly kind: PlannedKill['kind'] }[]
  /** Time of death by name and generation of a process. */
  readonly deaths: Map<string, number>
  /** Times at which PostgreSQL was not available. */
  readonly outages: { readonly from: number; to: number }[]
  flushes: number
}

export const createRunLog = (): RunLog => ({ kills: [], deaths: new Map(), outages: [], flushes: 0 })

export const processName = (name: string, generation: number) => `${name}.${generation}`
