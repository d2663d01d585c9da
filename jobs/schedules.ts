import type { JobSchedulerJson } from 'bullmq'
import { setTimeout as pause } from 'node:timers/promises'

import { type JobDefinition, jobDefinitions } from '../src/queue/job-definitions.ts'
import type { BullQueue } from '../src/queue/queue.ts'

/**
 * Removes the schedules of jobs that no longer exist, such as renamed ones. Unchanged schedules are not touched, so that overdue
 * runs stay due. Several workers may call it at once.
 */
export async function syncSchedules(queues: readonly BullQueue[]): Promise<void> {
  for (const queue of queues) await syncQueueSchedules(queue)
}

async function syncQueueSchedules(queue: BullQueue): Promise<void> {
  const registered = new Map((await queue.getJobSchedulers(0, -1, true)).map((scheduler) => [scheduler.key, scheduler]))
  for (const [name, definition] of listJobDefinitions(queue)) {
    const { schedule, attempts } = definition
    if (!schedule) continue
    if (!isUpToDate(registered.get(name), definition)) {
      const when = 'cron' in schedule ? { pattern: schedule.cron, tz: 'UTC' } : { every: schedule.every_ms }
      await queue.upsertJobScheduler(name, when, { name, data: {}, opts: { attempts } })
    }
    registered.delete(name)
  }
  for (const obsolete of registered.keys()) await queue.removeJobScheduler(obsolete)
}

/** Queues the jobs with short intervals at the start, because their next interval may be far away after a downtime. */
export async function enqueueIntervalJobs(queues: readonly BullQueue[]): Promise<void> {
  for (const queue of queues) {
    for (const [name, { schedule, attempts }] of listJobDefinitions(queue)) {
      if (schedule && 'every_ms' in schedule) await queue.add(name, {}, { attempts })
    }
  }
}

function listJobDefinitions({ name: queue }: BullQueue): [string, JobDefinition][] {
  return Object.entries<JobDefinition>(jobDefinitions).filter(([, definition]) => definition.queue === queue)
}

/** Repeats the synchronization, because a Redis that lost its data has lost the schedules. */
export async function syncSchedulesRepeatedly(
  queues: readonly BullQueue[],
  every_ms: number,
  signal: AbortSignal,
  onError: (error: Error) => void,
): Promise<void> {
  while (!signal.aborted) {
    await pause(every_ms, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    await syncSchedules(queues).catch((error: unknown) => {
      if (!signal.aborted) onError(error as Error)
    })
  }
}

/** A schedule that is overdue by more than its interval has lost its next run or had no worker. Both allow a new registration. */
function isUpToDate(registered: JobSchedulerJson | undefined, { schedule, attempts }: JobDefinition): boolean {
  if (!registered || !schedule || registered.template?.opts?.attempts !== attempts) return false
  if ('cron' in schedule) return registered.pattern === schedule.cron
  return registered.every === schedule.every_ms && (registered.next ?? 0) + schedule.every_ms > Date.now()
}
