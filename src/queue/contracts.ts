import Type, { type Static, type TSchema } from 'typebox'

/** Separate queues prevent jobs of one kind from delaying the others. `events` has `dispatch-outbox` and the housekeeping. */
export const queueNames = ['events', 'moderation', 'notifications', 'mails', 'media', 'archive'] as const
export type QueueName = (typeof queueNames)[number]

export function isQueueName(name: string): name is QueueName {
  return (queueNames as readonly string[]).includes(name)
}

/** Schedules of jobs; `cron` is in UTC. */
export type Schedule = { readonly every_ms: number } | { readonly cron: string }

export interface Contract {
  /** The queue of the job. A job that handles an outbox delivery waits in the queue of its handler. */
  readonly queue: QueueName | 'of its handler'
  /**
   * The payload has ids and no texts: the job reads the current state. A new field is optional for one release, because jobs of
   * the previous release may still be queued. Scheduled jobs have the payload `{}`.
   */
  readonly payload: TSchema
  /** Number of attempts before the job counts as failed; the pause starts at one second and grows. */
  readonly attempts: number
  readonly schedule?: Schedule
}

export const jobs = {
  /**
   * Issues must be archived within a minute of their seventh day, and an interval of half a minute allows for delays. One
   * attempt is enough, because the next run retries.
   */
  'archive-closed-issues': { queue: 'archive', payload: Type.Object({}), attempts: 1, schedule: { every_ms: 30_000 } },
  deliver: {
    queue: 'of its handler',
    payload: Type.Object({ event_id: Type.Integer(), handler: Type.String() }),
    attempts: 1,
  },
  /** The short interval keeps fewer than 10,000 changes pending at a thousand writes per second. */
  'roll-up-cells': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { every_ms: 2_000 } },
  /** Queues deliveries that the queue lost or that no process queued. */
  'dispatch-outbox': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { every_ms: 5_000 } },
  /**
   * Sends notifications that are due in batches until there are none. The table of deliveries is the real queue: this job wakes
   * the sender, and its interval is the fallback.
   */
  'send-notifications': { queue: 'mails', payload: Type.Object({}), attempts: 1, schedule: { every_ms: 5_000 } },
  'send-digests': { queue: 'notifications', payload: Type.Object({}), attempts: 1, schedule: { every_ms: 60_000 } },
  /** docs/retention.md lists how long each kind of data is stored. */
  'sweep-device-fields': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { cron: '5 5 * * *' } },
  'sweep-trusted-devices': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { cron: '10 5 * * *' } },
  'sweep-mail-folder': { queue: 'mails', payload: Type.Object({}), attempts: 1, schedule: { cron: '15 5 * * *' } },
  /** Expired keys are ignored before they are deleted, so an hourly run is enough. */
  'sweep-idempotency-keys': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { cron: '25 * * * *' } },
  /** Removed addresses are stored only as long as mails about their removal may be needed. */
  'sweep-removed-emails': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { cron: '50 4 * * *' } },
  /** Matches are deleted after a month, whether a digest reported them or not. */
  'sweep-watch-matches': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { cron: '55 4 * * *' } },
  /** Two runs per day delete orphaned files within a day. */
  'sweep-orphans': { queue: 'media', payload: Type.Object({}), attempts: 3, schedule: { cron: '40 3,15 * * *' } },
} as const satisfies Record<string, Contract>

export type JobName = keyof typeof jobs
export type Payload<Name extends JobName> = Static<(typeof jobs)[Name]['payload']>

export function isJobName(name: string): name is JobName {
  return Object.hasOwn(jobs, name)
}

export interface HandlerContract {
  readonly queue: QueueName
}

export const handlerContracts = {
  moderate: { queue: 'moderation' },
  /** Events of questions and answers have a single recipient. */
  'notify-authors': { queue: 'notifications' },
  'notify-followers': { queue: 'notifications' },
  'notify-watchers': { queue: 'notifications' },
  'send-mails': { queue: 'mails' },
  'shrink-avatar': { queue: 'media' },
  'shrink-picture': { queue: 'media' },
} as const satisfies Record<string, HandlerContract>

export type HandlerName = keyof typeof handlerContracts

export const handlerNames = Object.keys(handlerContracts) as HandlerName[]

export function isHandlerName(name: string): name is HandlerName {
  return Object.hasOwn(handlerContracts, name)
}

/**
 * Returns the queue of a job. A handler of another release is unknown here; its job goes to a queue where the failure is
 * visible.
 */
export function queueForJob<Name extends JobName>(name: Name, payload: Payload<Name>): QueueName {
  const { queue }: Contract = jobs[name]
  if (queue !== 'of its handler') return queue
  const { handler } = payload as Payload<'deliver'>
  return isHandlerName(handler) ? handlerContracts[handler].queue : 'events'
}
