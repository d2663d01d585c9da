import { type IQueueBackend, type Job, type Processor, Worker, UnrecoverableError } from 'bullmq'
import { setTimeout as pause } from 'node:timers/promises'
import { Value } from 'typebox/value'
import { type Backend, openBackend, type Connection, logConnectionErrors } from '../src/queue/backends.ts'
import { createDeliveryQueue, queueAfterCommit } from '../src/outbox/delivery-jobs.ts'
import { type QueueName, queueNames, isJobName, jobDefinitions, type JobName, type Payload } from '../src/queue/job-definitions.ts'
import { closeBullQueues, createEnqueue, openBullQueues, type QueueOptions } from '../src/queue/queue.ts'
import { syncSchedulesRepeatedly, syncSchedules, enqueueIntervalJobs } from './schedules.ts'
import type { WorkerServices, JobServices } from './handlers/services.ts'
import type { JobLog } from '../src/queue/log.ts'
import { jobHandlers } from './handlers/job-handlers.ts'
import { redactError } from './handlers/redact-error.ts'
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Database } from '../src/database/database.ts'
import { HEARTBEAT_EVERY_MS, recordHeartbeat, recordWorkerEnd } from '../src/queue/worker-queries.ts'

/** Concurrency per process and queue. Mails and endpoints wait for another server; images use memory and a whole core. */
const CONCURRENCY: Readonly<Record<QueueName, number>> = {
  events: 2,
  moderation: 4,
  notifications: 4,
  mails: 8,
  media: 2,
  archive: 1,
  // A Fixpoint blocks clients that send many requests above its rate limit.
  forwarding: 4,
  // One job serves several webhooks at a time.
  webhooks: 1,
}

/** The limit is less than the ten seconds of the whole shutdown, so that the database can be closed after the jobs. */
const CLOSE_MAX_MS = 8_000

const REQUEUE_MAX_MS = 1_000
const SCHEDULES_EVERY_MS = 20_000

/** Seconds between checks for jobs. A new job wakes its worker at once, so this only covers lost wake-ups. */
const POLL_EVERY_S = 10
const HOUR_S = 60 * 60

const RETENTION = { removeOnComplete: { age: HOUR_S, count: 1_000 }, removeOnFail: { age: 7 * 24 * HOUR_S, count: 5_000 } }

const METRICS = { metrics: { maxDataPoints: 60 } }

export interface WorkerSettings {
  readonly queues?: readonly QueueName[] | undefined
  readonly schedulesEvery_ms?: number
  readonly closeMax_ms?: number
}

/** Starts the queues and their schedules; jobs that became due without a worker run at once. Close it before the database. */
export async function startWorker(
  workerServices: WorkerServices,
  options: QueueOptions,
  { queues: names = queueNames, schedulesEvery_ms = SCHEDULES_EVERY_MS, closeMax_ms = CLOSE_MAX_MS }: WorkerSettings = {},
) {
  const { log } = workerServices
  const shutdown = new AbortController()
  const onError = logConnectionErrors(log)
  const backend = await openBackend(options, 'worker', onError)
  const queues = openBullQueues(backend, onError)
  const ownQueues = names.map((name) => queues[name])
  const queue = { enqueue: createEnqueue(queues, backend) }
  const db = queueAfterCommit(workerServices.db, createDeliveryQueue(queue, workerServices.log))
  const services = { ...workerServices, db, queue }
  const activeJobs = new Map<Job, string | undefined>()
  const openQueueWorker = (name: QueueName) =>
    openWorker(name, backend, log, (job, token) => {
      activeJobs.set(job, token)
      return runJob(job.name, job.data, services, shutdown.signal).finally(() => activeJobs.delete(job))
    }).on('error', onError)
  // A requeued job may still run in this process, so its handler must tolerate running twice.
  const requeueActiveJobs = async () => {
    const requeued = await Promise.allSettled([...activeJobs].map(([job, token]) => job.moveToWait(token)))
    return requeued.filter(({ status }) => status === 'fulfilled').length
  }
  const workers = names.map(openQueueWorker)
  const heartbeat = startDatabaseHeartbeat(db, names, backend.ping, log)

  const closeAll = async () => {
    shutdown.abort()
    const ended = Promise.all(workers.map((worker) => worker.close())).then(() => true)
    const isEnded = await Promise.race([ended, pause(closeMax_ms - REQUEUE_MAX_MS, false, { ref: false })])
    if (!isEnded) {
      const requeued = await Promise.race([requeueActiveJobs(), pause(REQUEUE_MAX_MS, 0, { ref: false })])
      log.warn({ requeued }, 'requeued jobs that did not end in time')
    }
    await heartbeat.end()
    // Jobs that still run may use their queue until the process exits, so the connections stay open.
    if (isEnded) await closeBullQueues(queues).then(() => backend.close())
  }
  let closing: Promise<void> | undefined
  const close = () => (closing ??= closeAll())
  try {
    await syncSchedules(ownQueues)
    await enqueueIntervalJobs(ownQueues)
  } catch (error) {
    await close()
    throw error
  }
  void syncSchedulesRepeatedly(ownQueues, schedulesEvery_ms, shutdown.signal, onError)
  return { ping: backend.ping, close }
}

function openWorker(queue: QueueName, backend: Backend, log: JobLog, work: Processor<unknown, void, string>) {
  const worker = new Worker<unknown, void, string, IQueueBackend, never, Connection>(
    queue,
    work,
    { ...backend.options, ...RETENTION, ...METRICS, concurrency: CONCURRENCY[queue], drainDelay: POLL_EVERY_S },
    backend.factory,
  )
  // Payloads are left out of the log, because they are private.
  worker.on('completed', (job) => log.debug({ queue, job: job.name, job_id: job.id }, 'job completed'))
  worker.on('failed', (job, error) => log.error({ queue, job: job?.name, job_id: job?.id, err: error }, 'job failed'))
  worker.on('stalled', (jobId) => log.warn({ queue, job_id: jobId }, 'stalled job is queued again'))
  return worker
}

/** Errors are redacted, because the dashboard shows them. @throws UnrecoverableError if the payload does not match its schema */
async function runJob(name: string, payload: unknown, services: JobServices, signal: AbortSignal): Promise<void> {
  try {
    // An ordinary error lets the next scheduled run repeat it: during a deployment another worker may know the job.
    if (!isJobName(name)) throw new Error(`There is no job named ${name}`)
    await validateAndHandle(name, payload, services, signal)
  } catch (error) {
    throw redactError(error)
  }
}

async function validateAndHandle<Name extends JobName>(name: Name, payload: unknown, services: JobServices, signal: AbortSignal) {
  const schema = jobDefinitions[name].payload
  if (!Value.Check(schema, payload)) {
    const paths = Value.Errors(schema, payload).map((error) => error.instancePath || '/')
    throw new UnrecoverableError(`The payload of ${name} does not match its schema at ${paths.join(', ')}`)
  }
  await jobHandlers[name](payload as Payload<Name>, services, signal)
}

const END_MAX_MS = 500

/** Records a heartbeat while the queue replies. */
function startDatabaseHeartbeat(db: Database, queues: readonly QueueName[], ping: () => Promise<unknown>, log: JobLog) {
  const worker = { id: randomUUID(), queues, host: hostname(), process_id: process.pid }
  const shutdown = new AbortController()
  const recordHeartbeats = async () => {
    while (!shutdown.signal.aborted) {
      try {
        await ping()
        if (!shutdown.signal.aborted) await recordHeartbeat(db, worker)
      } catch (error) {
        log.debug({ err: error }, 'heartbeat failed')
      }
      await pause(HEARTBEAT_EVERY_MS, undefined, { signal: shutdown.signal, ref: false }).catch(() => undefined)
    }
  }
  const stopped = recordHeartbeats()
  return {
    async end(): Promise<void> {
      shutdown.abort()
      const recorded = stopped.then(() => recordWorkerEnd(db, worker.id)).catch(() => undefined)
      await Promise.race([recorded, pause(END_MAX_MS, undefined, { ref: false })])
    },
  }
}
