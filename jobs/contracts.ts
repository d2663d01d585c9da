import Type, { type Static, type TSchema } from 'typebox'

/** When a job runs by itself. Times of `cron` are UTC. */
export type Schedule = { readonly every_ms: number } | { readonly cron: string }

export interface Contract {
  /**
   * Ids, never texts: what they name is read anew when the job runs. A new field stays optional for one release, because jobs
   * that an older release queued are still waiting when the new one starts. A scheduled job is queued with `{}`.
   */
  readonly payload: TSchema
  /** How often the job is tried before it counts as failed; the pause grows from one second. */
  readonly attempts: number
  readonly schedule?: Schedule
}

/** Every job that may be queued. */
export const jobs = {
  /**
   * Issues must be archived within a minute of their seventh day. Half a minute leaves room for a beat that comes late. One
   * attempt is enough: the next beat tries again.
   */
  'archive-closed-issues': { payload: Type.Object({}), attempts: 1, schedule: { every_ms: 30_000 } },
} as const satisfies Record<string, Contract>

export type JobName = keyof typeof jobs
export type Payload<Name extends JobName> = Static<(typeof jobs)[Name]['payload']>

export function isJobName(name: string): name is JobName {
  return Object.hasOwn(jobs, name)
}
