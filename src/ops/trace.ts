import { handlerContracts, isHandlerName, type QueueName } from '../queue/contracts.ts'
import { deliveryJobId } from '../outbox/enqueue.ts'
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

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Of the attempts of an effect, the last ones whose jobs are looked for. */
const TRIES_SHOWN = 5
const JOBS_WITHIN_MS = 2_000

/** What an id may be of; undefined where it is of nothing that there could be. */
export function traceKeyOf(given: string): TraceKey | undefined {
  const text = given.trim().replace(/^<?([^<>@]*)(@[^<>@]*)?>?$/, '$1')
  if (UUID.test(text)) return { kind: 'mail', id: text.toLowerCase() }
  if (/^\d{1,15}$/.test(text)) return { kind: 'event', id: Number(text) }
  return /^[0-9a-f]{16}$/.test(text) ? { kind: 'request', id: text } : undefined
}

/**
 * The whole chain from the request to the mails; undefined where nothing is known of it.
 * @param seesReporters whether the reader may know who reported anonymously
 */
export async function traceOf({ db, queue }: Pick<Services, 'db' | 'queue'>, key: TraceKey, seesReporters: boolean) {
  const events = await findTracedEvents(db, key, seesReporters)
  if (events.length === 0) return undefined
  const ids = events.map(({ id }) => id)
  const effects = await listTracedDeliveries(db, ids)
  const { mails, counts } = await listTracedMails(db, ids, key)
  const shownEffects = await Promise.all(effects.map(async (effect) => showEffect(effect, await jobsOf(queue, effect))))
  return {
    kind: key.kind,
    id: String(key.id),
    events: events.map(({ id, created_at, ...event }) => ({
      id,
      ...event,
      created_at: toTimestamp(created_at),
      effects: shownEffects.flatMap((shown, n) => (effects[n]?.event_id === id ? shown : [])),
      mails: mails.flatMap((mail) => (mail.event_id === id ? showMail(mail, event.named) : [])),
      mails_count: counts.get(id) ?? 0,
    })),
  }
}

export type ShownTrace = NonNullable<Awaited<ReturnType<typeof traceOf>>>

const queueOfEffect = (handler: string): QueueName | null => (isHandlerName(handler) ? handlerContracts[handler].queue : null)

function showEffect(
  { event_id: _, due_at, delivered_at, dead_at, ...effect }: TracedDelivery,
  jobs: Awaited<ReturnType<typeof jobsOf>>,
) {
  return {
    ...effect,
    queue: queueOfEffect(effect.handler),
    status: delivered_at !== null ? ('done' as const) : dead_at !== null ? ('dead' as const) : ('pending' as const),
    due_at: toTimestamp(due_at),
    delivered_at: toNullableTimestamp(delivered_at),
    dead_at: toNullableTimestamp(dead_at),
    jobs,
  }
}

function showMail({ event_id: _, address, due_at, leased_until, sent_at, failed_at, ...mail }: TracedMail, named: boolean) {
  return {
    ...mail,
    to: named ? masked(address) : null,
    status: sent_at !== null ? ('sent' as const) : failed_at !== null ? ('given up' as const) : ('open' as const),
    due_at: toNullableTimestamp(due_at),
    leased_until: toNullableTimestamp(leased_until),
    sent_at: toNullableTimestamp(sent_at),
    failed_at: toNullableTimestamp(failed_at),
  }
}

/** 'ada@example.org' → 'a…@e….org': enough to tell two apart, not to write to one. */
function masked(address: string): string {
  const [local = '', domain = ''] = address.split('@')
  const begin = (text: string) => [...text][0] ?? ''
  const last = domain.includes('.') ? `.${domain.split('.').at(-1)}` : ''
  return `${begin(local)}…@${begin(domain)}…${last}`
}

/** The jobs of its last attempts that the queue still keeps; none where the queue is away, since the rest is worth telling. */
async function jobsOf(queue: Services['queue'], { event_id, handler, attempts }: TracedDelivery) {
  const name = queueOfEffect(handler)
  if (!queue?.isUp() || name === null || !isHandlerName(handler)) return []
  const first = Math.max(0, attempts - TRIES_SHOWN + 1)
  const ids = Array.from({ length: attempts - first + 1 }, (_, n) => deliveryJobId({ event_id, handler, attempts: first + n }))
  const looked = Promise.all(
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
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<[]>((resolve) => {
    timer = setTimeout(() => resolve([]), JOBS_WITHIN_MS)
  })
  const jobs = await Promise.race([looked.catch(() => []), late]).finally(() => clearTimeout(timer))
  return jobs.flat()
}
