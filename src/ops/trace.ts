import { deliveryHandlerDefinitions, isDeliveryHandlerName, type QueueName } from '../queue/job-definitions.ts'
import { deliveryJobId } from '../outbox/delivery-jobs.ts'
import {
  findTracedEvents,
  listTracedDeliveries,
  listTracedMails,
  type TracedDelivery,
  type TracedMail,
  type TraceKey,
} from '../outbox/trace-queries.ts'
import { toNullableTimestamp, toTimestamp } from '../http/schema/fields.ts'
import type { Services } from '../services.ts'
import { withTimeout } from './snapshot.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Each requeue of a delivery has a job of its own. Only the last ones are read. */
const JOBS_MAX = 5

/** Returns undefined if the id has no known format. */
export function parseTraceKey(input: string): TraceKey | undefined {
  const address = input.trim().replace(/^<([^<>]*)>$/, '$1')
  const [text = ''] = address.split('@')
  if (UUID.test(text)) return { kind: 'mail', id: text.toLowerCase() }
  if (text !== address) return { kind: 'address', id: address }
  const [, kind, id] = /^(issue|user):(\d{1,9})$/.exec(text) ?? []
  if (kind === 'issue' || kind === 'user') return { kind, id: Number(id) }
  if (/^\d{1,15}$/.test(text)) return { kind: 'event', id: Number(text) }
  return /^[0-9a-f]{16}$/.test(text) ? { kind: 'request', id: text } : undefined
}

/** Returns undefined if there is no event. @param seesReporters whether the reader may see the reporters of anonymous reports */
export async function buildTrace({ db, queue }: Pick<Services, 'db' | 'queue'>, traceKey: TraceKey, seesReporters: boolean) {
  const events = await findTracedEvents(db, traceKey, seesReporters)
  if (events.length === 0) return undefined
  const ids = events.map(({ id }) => id)
  const deliveries = await listTracedDeliveries(db, ids)
  const { mails, counts } = await listTracedMails(db, ids, traceKey)
  const presented = await Promise.all(
    deliveries.map(async (delivery) => presentDelivery(delivery, await findJobs(queue, delivery))),
  )
  return {
    kind: traceKey.kind,
    id: String(traceKey.id),
    events: events.map(({ id, created_at, ...event }) => ({
      id,
      ...event,
      created_at: toTimestamp(created_at),
      deliveries: presented.flatMap((delivery, n) => (deliveries[n]?.event_id === id ? delivery : [])),
      mails: mails.flatMap((mail) => (mail.event_id === id ? presentMail(mail, event.named) : [])),
      mails_count: counts.get(id) ?? 0,
    })),
  }
}

export type PresentedTrace = NonNullable<Awaited<ReturnType<typeof buildTrace>>>

const queueForHandler = (handler: string): QueueName | null =>
  isDeliveryHandlerName(handler) ? deliveryHandlerDefinitions[handler].queue : null

function presentDelivery(
  { event_id: _, due_at, delivered_at, dead_at, ...delivery }: TracedDelivery,
  jobs: Awaited<ReturnType<typeof findJobs>>,
) {
  return {
    ...delivery,
    queue: queueForHandler(delivery.handler),
    status: delivered_at !== null ? ('delivered' as const) : dead_at !== null ? ('dead_letter' as const) : ('pending' as const),
    due_at: toTimestamp(due_at),
    delivered_at: toNullableTimestamp(delivered_at),
    dead_at: toNullableTimestamp(dead_at),
    jobs,
  }
}

function presentMail(
  { event_id: _, email_address, due_at, leased_until, sent_at, failed_at, reply, ...mail }: TracedMail,
  named: boolean,
) {
  return {
    ...mail,
    to: named && email_address !== null ? maskEmailAddress(email_address) : null,
    status: sent_at !== null ? ('sent' as const) : failed_at !== null ? ('failed' as const) : ('pending' as const),
    due_at: toTimestamp(due_at),
    leased_until: toNullableTimestamp(leased_until),
    sent_at: toNullableTimestamp(sent_at),
    failed_at: toNullableTimestamp(failed_at),
    response: reply,
  }
}

/** Returns "a…@e….org" for "ada@example.org": enough to distinguish two addresses, not enough to use one. */
function maskEmailAddress(emailAddress: string): string {
  const [local = '', domain = ''] = emailAddress.split('@')
  const begin = (text: string) => [...text][0] ?? ''
  const last = domain.includes('.') ? `.${domain.split('.').at(-1)}` : ''
  return `${begin(local)}…@${begin(domain)}…${last}`
}

/** Returns the stored jobs of the last requeues, or none if the queue is down, so that the rest of the trace is still shown. */
async function findJobs(queue: Services['queue'], { event_id, handler, requeues }: TracedDelivery) {
  const name = queueForHandler(handler)
  if (!queue?.isUp() || name === null || !isDeliveryHandlerName(handler)) return []
  const first = Math.max(0, requeues - JOBS_MAX + 1)
  const ids = Array.from({ length: requeues - first + 1 }, (_, n) => deliveryJobId({ event_id, handler, requeues: first + n }))
  const jobsFound = Promise.all(
    ids.map(async (id) => {
      const job = await queue.queues[name].getJob(id)
      if (!job) return []
      const finished_at = job.finishedOn === undefined ? null : toTimestamp(new Date(job.finishedOn).toISOString())
      return [
        {
          id,
          state: String(await job.getState()),
          attempts: job.attemptsMade,
          finished_at,
          failed_reason: job.failedReason || null,
        },
      ]
    }),
  )
  return (await withTimeout(jobsFound))?.flat() ?? []
}
