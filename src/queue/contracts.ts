import Type, { type Static, type TSchema } from 'typebox'

/**
 * Jobs wait in queues by name, so that a flood of one kind delays no other: `events` has the sweep of what is owed and the housekeeping,
 * the others what their names say.
 */
export const queueNames = ['events', 'moderation', 'notifications', 'mails', 'media', 'archive'] as const
export type QueueName = (typeof queueNames)[number]

export function isQueueName(name: string): name is QueueName {
  return (queueNames as readonly string[]).includes(name)
}

/** When a job runs by itself. Times of `cron` are UTC. */
export type Schedule = { readonly every_ms: number } | { readonly cron: string }

export interface Contract {
  /** Where the job waits; one that does an effect waits in the queue of the effect. */
  readonly queue: QueueName | 'of its effect'
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
  'archive-closed-issues': { queue: 'archive', payload: Type.Object({}), attempts: 1, schedule: { every_ms: 30_000 } },
  /** One effect of one event. Its tries are counted in the database, which queues it again under another id until it is done. */
  'do-effect': {
    queue: 'of its effect',
    payload: Type.Object({ event_id: Type.Integer(), handler: Type.String() }),
    attempts: 1,
  },
  /** Every second or two: with a thousand writes a second, fewer than 10,000 changes wait. */
  'fold-cell-changes': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { every_ms: 2_000 } },
  /** Whatever the queue lost, or no process came to queue, is queued by the next of these. */
  'queue-owed-effects': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { every_ms: 5_000 } },
  /**
   * Mails about issues that are due, batch by batch, until there are none. The table of deliveries is the queue of them; this job wakes
   * whoever sends, and its beat is the sweep that finds what nobody woke anybody for.
   */
  'send-notices': { queue: 'mails', payload: Type.Object({}), attempts: 1, schedule: { every_ms: 5_000 } },
  /** Mails of watch areas that come daily or weekly, batch by batch; what one beat does not reach the next one does. */
  'send-digests': { queue: 'notifications', payload: Type.Object({}), attempts: 1, schedule: { every_ms: 60_000 } },
  /** Every day, with `sweep-familiar-clients` and `sweep-mail-folder`: how long each is kept stands in docs/retention.md. */
  'sweep-device-fields': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { cron: '5 5 * * *' } },
  'sweep-familiar-clients': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { cron: '10 5 * * *' } },
  'sweep-mail-folder': { queue: 'mails', payload: Type.Object({}), attempts: 1, schedule: { cron: '15 5 * * *' } },
  /** Every hour: what is no longer given again stays a little longer, and nobody notices. */
  'sweep-idempotency-keys': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { cron: '25 * * * *' } },
  /** Every day: removed addresses stay for the mails about them, and no longer. */
  'sweep-removed-emails': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { cron: '50 4 * * *' } },
  /** Every day: what was told, or never can be, is of no more use after a month. */
  'sweep-watch-matches': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { cron: '55 4 * * *' } },
  /** Twice a day, so that no file that nothing names lives for longer than one. */
  'sweep-orphans': { queue: 'media', payload: Type.Object({}), attempts: 3, schedule: { cron: '40 3,15 * * *' } },
} as const satisfies Record<string, Contract>

export type JobName = keyof typeof jobs
export type Payload<Name extends JobName> = Static<(typeof jobs)[Name]['payload']>

export function isJobName(name: string): name is JobName {
  return Object.hasOwn(jobs, name)
}

export interface EffectContract {
  /** Where the jobs wait that do the effect. */
  readonly queue: QueueName
}

/** Every effect that an event may have; `effects.ts` has the handler of each. */
export const effectContracts = {
  moderate: { queue: 'moderation' },
  /** Of questions and answers, whose news goes to one person. */
  'notify-authors': { queue: 'notifications' },
  'notify-followers': { queue: 'notifications' },
  'notify-watchers': { queue: 'notifications' },
  'send-mails': { queue: 'mails' },
  'shrink-avatar': { queue: 'media' },
  'shrink-picture': { queue: 'media' },
} as const satisfies Record<string, EffectContract>

export type EffectName = keyof typeof effectContracts

export function isEffectName(name: string): name is EffectName {
  return Object.hasOwn(effectContracts, name)
}

/** Where a job waits. The effect of another release, unknown here, waits where it can be seen to fail. */
export function queueOf<Name extends JobName>(name: Name, payload: Payload<Name>): QueueName {
  const { queue }: Contract = jobs[name]
  if (queue !== 'of its effect') return queue
  const { handler } = payload as Payload<'do-effect'>
  return isEffectName(handler) ? effectContracts[handler].queue : 'events'
}
