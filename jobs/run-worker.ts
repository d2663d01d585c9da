import { UnrecoverableError, Worker, type IQueueBackend } from 'bullmq'
import { setTimeout as pause } from 'node:timers/promises'
import { Value } from 'typebox/value'

import { openBackend, type Connection } from './backends.ts'
import { isJobName, jobs, type JobName, type Payload } from './contracts.ts'
import { tellFaults } from './faults.ts'
import { handlers } from './handlers.ts'
import { enqueueOn, openBullQueue, QUEUE_NAME, type QueueOptions } from './queue.ts'
import { keepKeepingSchedules, keepSchedules, runBeatsNow } from './schedules.ts'
import type { JobServices, WorkerServices } from './services.ts'

const AT_ONCE = 4
/** Less than the ten seconds in which a process must have stopped, so that the database can still be closed after it. */
const CLOSE_MAX_MS = 8_000
const SCHEDULES_EVERY_MS = 20_000
const HOUR_S = 60 * 60
/** For people who look what happened; nothing depends on what is kept. */
const RETENTION = { removeOnComplete: { age: HOUR_S, count: 1_000 }, removeOnFail: { age: 7 * 24 * HOUR_S, count: 5_000 } }

export interface RunningWorker {
  /** Resolves when the queue answers; one that is away is waited for. */
  ping(): Promise<unknown>
  /** Takes no more jobs and waits up to eight seconds for those that run; what is cut off then is taken up by another worker. */
  close(): Promise<void>
}

/**
 * Begins to do the jobs of the queue and registers what is scheduled. What became due while no worker ran is done at once.
 * Close it before the database: `services.db` is used until then.
 */
export async function startWorker(
  given: WorkerServices,
  options: QueueOptions,
  schedulesEvery_ms = SCHEDULES_EVERY_MS,
): Promise<RunningWorker> {
  const { log } = given
  const stopping = new AbortController()
  const onError = tellFaults(log)
  const backend = await openBackend(options, 'worker', onError)
  const queue = openBullQueue(backend, onError)
  const services = { ...given, queue: { enqueue: enqueueOn(queue, backend) } }
  const worker = new Worker<unknown, void, string, IQueueBackend, never, Connection>(
    QUEUE_NAME,
    (job) => runJob(job.name, job.data, services, stopping.signal),
    { ...backend.options, ...RETENTION, concurrency: AT_ONCE },
    backend.factory,
  )
  worker.on('error', onError)
  // Names and ids only: a payload is nobody's business in a log.
  worker.on('completed', (job) => log.debug({ job: job.name, jobId: job.id }, 'job done'))
  worker.on('failed', (job, error) => log.error({ job: job?.name, jobId: job?.id, err: error }, 'job failed'))
  worker.on('stalled', (jobId) => log.warn({ jobId }, 'job taken up again: its worker was gone'))

  const closeAll = async () => {
    stopping.abort()
    const closed = Promise.all([worker.close(), queue.close()])
      .then(() => backend.close())
      .then(() => true)
    if (!(await Promise.race([closed, pause(CLOSE_MAX_MS, false, { ref: false })]))) {
      log.warn({}, 'jobs are cut off: they did not end in time')
    }
  }
  let closing: Promise<void> | undefined
  const close = () => (closing ??= closeAll())
  try {
    await keepSchedules(queue)
    await runBeatsNow(queue)
  } catch (error) {
    await close()
    throw error
  }
  void keepKeepingSchedules(queue, schedulesEvery_ms, stopping.signal, onError)
  return { ping: backend.ping, close }
}

/**
 * Does one job of the queue.
 * @throws UnrecoverableError when its payload does not fit the contract: no further attempt could change that.
 */
export async function runJob(name: string, payload: unknown, services: JobServices, stopping: AbortSignal): Promise<void> {
  // An ordinary error: while a new release replaces this one, a worker that knows the job may take the next attempt.
  if (!isJobName(name)) throw new Error(`There is no job named ${name}`)
  await handle(name, payload, services, stopping)
}

async function handle<Name extends JobName>(name: Name, payload: unknown, services: JobServices, stopping: AbortSignal) {
  const schema = jobs[name].payload
  if (!Value.Check(schema, payload)) {
    const places = Value.Errors(schema, payload).map((error) => error.instancePath || '/')
    throw new UnrecoverableError(`The payload of ${name} does not fit its contract at ${places.join(', ')}`)
  }
  await handlers[name](payload as Payload<Name>, services, stopping)
}
