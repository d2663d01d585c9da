import { Queue, type IQueueBackend } from 'bullmq'

import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import { assertOutsideTransaction } from '../database/engine.ts'
import type { EmbeddedDatabase } from '../database/embedded.ts'
import { openBackend, type Backend, type Connection, type QueueOptions, logConnectionErrors } from './backends.ts'
import { type JobName, jobDefinitions, type Payload, type QueueName, queueNames, queueForJob } from './job-definitions.ts'
import type { JobLog } from './log.ts'

export type { QueueOptions } from './backends.ts'

const RETRY_AFTER_MS = 1_000

interface EnqueueOptions {
  /** A job is ignored if one with the same id is still stored, finished or not. BullMQ forbids colons and ids of digits only. */
  readonly id?: string
  readonly delay_ms?: number
}

export interface JobQueue {
  /**
   * Queues a job and returns its id. Call it after the commit: it throws inside a transaction.
   * @throws QueueUnavailable if the queue does not reply in time; it may still accept the job
   */
  enqueue<Name extends JobName>(name: Name, payload: Payload<Name>, options?: EnqueueOptions): Promise<string>
  readonly queues: BullQueues
  isUp(): boolean
  close(): Promise<void>
}

export class QueueUnavailable extends Error {
  override name = 'QueueUnavailable'
}

export function queueOptions(
  {
    redisUrl,
    redisSentinels,
    databaseUrl,
    directUrl,
  }: Pick<Config, 'redisUrl' | 'databaseUrl'> & Partial<Pick<Config, 'redisSentinels' | 'directUrl'>>,
  database: Database,
  telemetry?: QueueOptions['telemetry'],
): QueueOptions {
  if (redisUrl !== undefined) return { redisUrl, redisSentinels: redisSentinels ?? [], telemetry }
  if (databaseUrl !== undefined) return { databaseUrl: directUrl ?? databaseUrl, telemetry }
  return { database: database as EmbeddedDatabase, telemetry }
}

export async function openQueue(options: QueueOptions, log: JobLog): Promise<JobQueue> {
  const onError = logConnectionErrors(log)
  const backend = await openBackend(options, 'producer', onError)
  const queues = openBullQueues(backend, onError)
  return {
    enqueue: createEnqueue(queues, backend),
    queues,
    isUp: () => backend.isUp(),
    async close() {
      await closeBullQueues(queues)
      await backend.close()
    },
  }
}

export function createEnqueue(queues: BullQueues, backend: Backend): JobQueue['enqueue'] {
  return async (name, payload, { id, delay_ms } = {}) => {
    assertOutsideTransaction()
    if (!backend.isUp()) throw new QueueUnavailable('The queue cannot be reached')
    const added = queues[queueForJob(name, payload)].add(name, payload, {
      attempts: jobDefinitions[name].attempts,
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

/** Opens BullMQ's queues over one backend. Their event streams are kept short, because nothing reads them. */
export function openBullQueues({ factory, options }: Backend, onError: (error: Error) => void): BullQueues {
  const opened = queueNames.map((name) => {
    const queue: BullQueue = new Queue(name, { ...options, streams: { events: { maxLen: 1_000 } } }, factory)
    queue.on('error', onError)
    return [name, queue] as const
  })
  return Object.fromEntries(opened) as BullQueues
}

/** Close the backend after this. */
export async function closeBullQueues(queues: BullQueues): Promise<void> {
  await Promise.all(Object.values(queues).map((queue) => queue.close()))
}
