import Type, { type Static, type TSchema } from 'typebox'

/**
 * Separate queues prevent jobs of one kind from delaying the others. The jobs of `notifications` select recipients and write rows
 * of `mails`; the jobs of the queue `mails` send them. The jobs of `forwarding` wait for Open311 endpoints
 * of other operators, those of `webhooks` for receivers of changes.
 */
export const queueNames = ['events', 'moderation', 'notifications', 'mails', 'media', 'archive', 'forwarding', 'webhooks'] as const
export type QueueName = (typeof queueNames)[number]

export function isQueueName(name: string): name is QueueName {
  return (queueNames as readonly string[]).includes(name)
}

type Schedule = { readonly every_ms: number } | { readonly cron: string }

export interface JobDefinition {
  /** A job `deliver` waits in the queue of its delivery handler. */
  readonly queue: QueueName | 'by delivery handler'
  /** The payload has ids and no texts. A new field is optional for one release, because older jobs may still be queued. */
  readonly payload: TSchema
  /** Number of attempts before the job counts as failed. With one, the next scheduled run or dispatch repeats the work. */
  readonly attempts: number
  readonly schedule?: Schedule
}

export const jobDefinitions = {
  /** Issues must be archived within a minute of their seventh day. One attempt is enough, because the next run retries. */
  'archive-closed-issues': { queue: 'archive', payload: Type.Object({}), attempts: 1, schedule: { every_ms: 30_000 } },
  /** Runs one delivery handler for one event. */
  deliver: {
    queue: 'by delivery handler',
    payload: Type.Object({ event_id: Type.Integer(), handler: Type.String() }),
    attempts: 1,
  },
  /** The short interval keeps fewer than 10,000 changes pending at a thousand writes per second. */
  'roll-up-cells': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { every_ms: 2_000 } },
  /** A word of a new report is found despite a typing error within this interval. */
  'add-search-words': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { every_ms: 300_000 } },
  'count-search-words': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { cron: '20 3 * * *' } },
  'dispatch-outbox': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { every_ms: 5_000 } },
  'notice-failover': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { every_ms: 20_000 } },
  /** The table `mails` is the queue. The interval is a fallback: the job is also enqueued after each commit. */
  'send-mails': { queue: 'mails', payload: Type.Object({}), attempts: 1, schedule: { every_ms: 5_000 } },
  /** Each endpoint has its own time of the next poll. */
  'poll-endpoints': { queue: 'forwarding', payload: Type.Object({}), attempts: 1, schedule: { every_ms: 20_000 } },
  /** Each webhook has its own time of the next attempt. The interval is the longest wait of a change. */
  'deliver-webhooks': { queue: 'webhooks', payload: Type.Object({}), attempts: 1, schedule: { every_ms: 2_000 } },
  'create-digests': { queue: 'notifications', payload: Type.Object({}), attempts: 1, schedule: { every_ms: 60_000 } },
  'create-daily-mails': { queue: 'notifications', payload: Type.Object({}), attempts: 1, schedule: { every_ms: 60_000 } },
  /** Asks whether issues are fixed that staff closed three days ago. */
  'ask-closings': { queue: 'notifications', payload: Type.Object({}), attempts: 1, schedule: { every_ms: 60_000 } },
  /** Computes the targets of open issues after a change of a rule or calendar. */
  'compute-targets': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { every_ms: 30_000 } },
  /** Changes the issues of bulk runs. The short interval is the longest wait of a run. */
  'run-bulk': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { every_ms: 2_000 } },
  'clear-device-fields': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { cron: '5 5 * * *' } },
  'delete-expired-trusted-devices': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { cron: '10 5 * * *' } },
  'delete-old-mail-files': { queue: 'mails', payload: Type.Object({}), attempts: 1, schedule: { cron: '15 5 * * *' } },
  /** Expired keys are ignored before they are deleted, so an hourly run is enough. */
  'delete-expired-idempotency-keys': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { cron: '25 * * * *' } },
  /** Expired drafts are ignored before they are deleted. */
  'delete-expired-drafts': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { cron: '35 * * * *' } },
  /** Removed addresses are stored only as long as mails about their removal may be needed. */
  'purge-removed-emails': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { cron: '50 4 * * *' } },
  /** Changes are stored for longer than their cursors are good. */
  'delete-old-changes': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { cron: '45 4 * * *' } },
  'delete-old-watch-matches': { queue: 'events', payload: Type.Object({}), attempts: 1, schedule: { cron: '55 4 * * *' } },
  'delete-orphaned-files': { queue: 'media', payload: Type.Object({}), attempts: 3, schedule: { cron: '40 3,15 * * *' } },
} as const satisfies Record<string, JobDefinition>

export type JobName = keyof typeof jobDefinitions
export type Payload<Name extends JobName> = Static<(typeof jobDefinitions)[Name]['payload']>

export function isJobName(name: string): name is JobName {
  return Object.hasOwn(jobDefinitions, name)
}

/** A delivery handler processes an outbox delivery, which is one event for this handler, in a job `deliver`. Delivered means processed. */
interface DeliveryHandlerDefinition {
  readonly queue: QueueName
}

export const deliveryHandlerDefinitions = {
  moderate: { queue: 'moderation' },
  notify: { queue: 'notifications' },
  'forward-issue': { queue: 'forwarding' },
  'forward-update': { queue: 'forwarding' },
  'set-target': { queue: 'events' },
  'create-square-avatar': { queue: 'media' },
  'create-smaller-images': { queue: 'media' },
  'export-data': { queue: 'media' },
  'record-erasure': { queue: 'media' },
} as const satisfies Record<string, DeliveryHandlerDefinition>

export type DeliveryHandlerName = keyof typeof deliveryHandlerDefinitions

export const deliveryHandlerNames = Object.keys(deliveryHandlerDefinitions) as DeliveryHandlerName[]

/** These handlers get deliveries only while an organisation has an Open311 endpoint. */
export const forwardingHandlerNames = ['forward-issue', 'forward-update'] as const satisfies readonly DeliveryHandlerName[]

export function isDeliveryHandlerName(name: string): name is DeliveryHandlerName {
  return Object.hasOwn(deliveryHandlerDefinitions, name)
}

/** Returns the queue of a job. A job of an unknown delivery handler goes to `events`, where its failure is visible. */
export function queueForJob<Name extends JobName>(name: Name, payload: Payload<Name>): QueueName {
  const { queue }: JobDefinition = jobDefinitions[name]
  if (queue !== 'by delivery handler') return queue
  const { handler } = payload as Payload<'deliver'>
  return isDeliveryHandlerName(handler) ? deliveryHandlerDefinitions[handler].queue : 'events'
}
