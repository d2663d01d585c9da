import { type IQueueBackend, type Job, type Processor, Worker } from 'bullmq'
import { setTimeout as pause } from 'node:timers/promises'

import { type Backend, openBackend, type Connection } from '../src/queue/backends.ts'
import { type QueueName, queueNames } from '../src/queue/contracts.ts'
import { tellFaults } from '../src/queue/connection-errors.ts'
import { inHandOf } from './active-jobs.ts'
import { closeBullQueues, enqueueOn, openBullQueues, type QueueOptions } from '../src/queue/queue.ts'
import { runJob } from './run-job.ts'
import { keepKeepingSchedules, keepSchedules, runBeatsNow } from './schedules.ts'
import type { WorkerServices } from './handlers/services.ts'
import type { JobLog } from '../src/queue/log.ts'
import { startPresence } from './worker-presence.ts'

/** Jobs that a process does at the same time, of each queue. Mails wait for another server; pictures take memory and all of a core. */
const AT_ONCE: Readonly<Record<QueueName, number>> = {
  events: 2,
  moderation: 4,
  notifications: 4,
  mails: 8,
  media: 2,
  archive: 1,
}

/** Less than the ten seconds in which a process must have stopped, so that the database can still be closed after it. */
const CLOSE_MAX_MS = 8_000

/** Of those, what may be spent on giving back the jobs that do not end. */
const GIVE_BACK_MAX_MS = 1_000
const SCHEDULES_EVERY_MS = 20_000

/** In seconds. A job that is queued wakes its worker at once: this is only for a notice that was lost. */
const LOOK_AGAIN_S = 10
const HOUR_S = 60 * 60

/** For people who look what happened; nothing depends on what is kept. */
const RETENTION = { removeOnComplete: { age: HOUR_S, count: 1_000 }, removeOnFail: { age: 7 * 24 * HOUR_S, count: 5_000 } }

/** The queue itself counts what was done and what failed, for an hour by the minute and in all. */
const COUNTED = { metrics: { maxDataPoints: 60 } }

export interface WorkerSettings {
  /** Those whose jobs are done; all of them if not said. */
  readonly queues?: readonly QueueName[] | undefined
  readonly schedulesEvery_ms?: number
  readonly closeMax_ms?: number
}

export interface RunningWorker {
  /** Resolves when the queue answers; one that is away is waited for. */
  ping(): Promise<unknown>
  /** Takes no more jobs and waits up to eight seconds for those that run; what does not end is given back to the other workers. */
  close(): Promise<void>
}

/**
 * Begins to do the jobs of the queues and registers what is scheduled in them. What became due while no worker ran is done at once.
 * Close it before the database: `services.db` is used until then.
 */
export async function startWorker(
  given: WorkerServices,
  options: QueueOptions,
  { queues: names = queueNames, schedulesEvery_ms = SCHEDULES_EVERY_MS, closeMax_ms = CLOSE_MAX_MS }: WorkerSettings = {},
): Promise<RunningWorker> {
  const { log, db } = given
  const stopping = new AbortController()
  const onError = tellFaults(log)
  const backend = await openBackend(options, 'worker', onError)
  const queues = openBullQueues(backend, onError)
  const ours = names.map((name) => queues[name])
  const services = { ...given, queue: { enqueue: enqueueOn(queues, backend) } }
  const inHand = inHandOf<Job<unknown, void>>()
  const open = (name: QueueName) =>
    openWorker(name, backend, log, (job, token) =>
      inHand.during(job, token, () => runJob(job.name, job.data, services, stopping.signal)),
    ).on('error', onError)
  const workers = names.map(open)
  const presence = startPresence(db, names, backend.ping, log)

  const closeAll = async () => {
    stopping.abort()
    const ended = Promise.all(workers.map((worker) => worker.close())).then(() => true)
    const isEnded = await Promise.race([ended, pause(closeMax_ms - GIVE_BACK_MAX_MS, false, { ref: false })])
    if (!isEnded) {
      const givenBack = await Promise.race([inHand.giveBack(), pause(GIVE_BACK_MAX_MS, 0, { ref: false })])
      log.warn({ givenBack }, 'jobs are cut off and given back: they did not end in time')
    }
    await presence.end()
    // What still runs here goes on until the process ends, and may yet speak to its queue.
    if (isEnded) await closeBullQueues(queues).then(() => backend.close())
  }
  let closing: Promise<void> | undefined
  const close = () => (closing ??= closeAll())
  try {
    await keepSchedules(ours)
    await runBeatsNow(ours)
  } catch (error) {
    await close()
    throw error
  }
  void keepKeepingSchedules(ours, schedulesEvery_ms, stopping.signal, onError)
  return { ping: backend.ping, close }
}

function openWorker(queue: QueueName, backend: Backend, log: JobLog, work: Processor<unknown, void, string>) {
  const worker = new Worker<unknown, void, string, IQueueBackend, never, Connection>(
    queue,
    work,
    { ...backend.options, ...RETENTION, ...COUNTED, concurrency: AT_ONCE[queue], drainDelay: LOOK_AGAIN_S },
    backend.factory,
  )
  // Names and ids only: a payload is nobody's business in a log.
  worker.on('completed', (job) => log.debug({ queue, job: job.name, jobId: job.id }, 'job done'))
  worker.on('failed', (job, error) => log.error({ queue, job: job?.name, jobId: job?.id, err: error }, 'job failed'))
  worker.on('stalled', (jobId) => log.warn({ queue, jobId }, 'job taken up again: its worker was gone'))
  return worker
}
