import { Queue, type IQueueBackend } from 'bullmq'

import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import type { EmbeddedDatabase } from '../database/embedded.ts'
import { assertOutsideTransaction } from '../database/one-at-a-time.ts'
import { openBackend, type Backend, type Connection, type QueueOptions } from './backends.ts'
import { type JobName, jobs, type Payload, type QueueName, queueNames, queueOf } from './contracts.ts'
import { tellFaults } from './connection-errors.ts'
import type { JobLog } from './log.ts'

export type { QueueOptions } from './backends.ts'

const RETRY_AFTER_MS = 1_000

export interface EnqueueOptions {
  /** A job of the same id that is still kept, done or not, makes this one disappear. Neither digits alone nor a colon in it. */
  readonly id?: string
  readonly delay_ms?: number
}

export interface JobQueue {
  /**
   * Queues a job and gives its id. Call it after the commit of what the job is about: inside a transaction it throws.
   * @throws QueueUnavailable when the queue cannot be reached: at once, or within five seconds where it does not answer. The job
   * may have been taken even so.
   */
  enqueue<Name extends JobName>(name: Name, payload: Payload<Name>, options?: EnqueueOptions): Promise<string>
  /** For those who look at them: metrics, the board, traces. */
  readonly queues: BullQueues
  /** Whether a command can be sent now, as far as is known without sending one. */
  isUp(): boolean
  close(): Promise<void>
}

export class QueueUnavailable extends Error {
  override name = 'QueueUnavailable'
}

/** Where the queue of a configured service is. */
export function queueOptions(
  { redisUrl, databaseUrl }: Pick<Config, 'redisUrl' | 'databaseUrl'>,
  database: Database,
): QueueOptions {
  if (redisUrl !== undefined) return { redisUrl }
  if (databaseUrl !== undefined) return { databaseUrl }
  return { database: database as EmbeddedDatabase }
}

/** Opens the queue for those who put jobs into it. */
export async function openQueue(options: QueueOptions, log: JobLog): Promise<JobQueue> {
  const onError = tellFaults(log)
  const backend = await openBackend(options, 'producer', onError)
  const queues = openBullQueues(backend, onError)
  return {
    enqueue: enqueueOn(queues, backend),
    queues,
    isUp: () => backend.isUp(),
    async close() {
      await closeBullQueues(queues)
      await backend.close()
    },
  }
}

/** Puts jobs into the open queue that each belongs to, as `JobQueue.enqueue` says. */
export function enqueueOn(queues: BullQueues, backend: Backend): JobQueue['enqueue'] {
  return async (name, payload, { id, delay_ms } = {}) => {
    assertOutsideTransaction()
    if (!backend.isUp()) throw new QueueUnavailable('The queue cannot be reached')
    const added = queues[queueOf(name, payload)].add(name, payload, {
      attempts: jobs[name].attempts,
      backoff: { type: 'exponential', delay: RETRY_AFTER_MS },
      ...(id === undefined ? {} : { jobId: id }),
      ...(delay_ms === undefined ? {} : { delay: delay_ms }),
    })
    const job = await added.catch((cause: unknown) => {
      throw new QueueUnavailable('The queue did not take the job', { cause })
    })
    return String(job.id)
  }
}

export type BullQueue = Queue<unknown, unknown, string, unknown, unknown, string, IQueueBackend, Connection>

export type BullQueues = Readonly<Record<QueueName, BullQueue>>

/** BullMQ's own queues over one open backend. What they stream to listeners is kept short: nobody listens. */
export function openBullQueues({ factory, options }: Backend, onError: (error: Error) => void): BullQueues {
  const opened = queueNames.map((name) => {
    const queue: BullQueue = new Queue(name, { ...options, streams: { events: { maxLen: 1_000 } } }, factory)
    queue.on('error', onError)
    return [name, queue] as const
  })
  return Object.fromEntries(opened) as BullQueues
}

/** The backend is closed after them. */
export async function closeBullQueues(queues: BullQueues): Promise<void> {
  await Promise.all(Object.values(queues).map((queue) => queue.close()))
}
