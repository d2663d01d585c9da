import type { JobSchedulerJson } from 'bullmq'
import { setTimeout as pause } from 'node:timers/promises'

import { type Contract, jobs } from '../src/queue/contracts.ts'
import type { BullQueue } from '../src/queue/queue.ts'

/**
 * Makes the schedules of each queue those of the contracts: missing and changed ones are registered, others are removed. What is
 * right already is left alone, so a run that is overdue stays due. Any number of workers may do this at once.
 */
export async function keepSchedules(queues: readonly BullQueue[]): Promise<void> {
  for (const queue of queues) await keepSchedulesOf(queue)
}

async function keepSchedulesOf(queue: BullQueue): Promise<void> {
  const registered = new Map((await queue.getJobSchedulers(0, -1, true)).map((scheduler) => [scheduler.key, scheduler]))
  for (const [name, contract] of contractsOf(queue)) {
    const { schedule, attempts } = contract
    if (!schedule) continue
    if (!isKept(registered.get(name), contract)) {
      const when = 'cron' in schedule ? { pattern: schedule.cron, tz: 'UTC' } : { every: schedule.every_ms }
      await queue.upsertJobScheduler(name, when, { name, data: {}, opts: { attempts } })
    }
    registered.delete(name)
  }
  for (const left of registered.keys()) await queue.removeJobScheduler(left)
}

/** Queues what runs at short intervals once more, now: after a downtime, however short, it does not wait for its next beat. */
export async function runBeatsNow(queues: readonly BullQueue[]): Promise<void> {
  for (const queue of queues) {
    for (const [name, { schedule, attempts }] of contractsOf(queue)) {
      if (schedule && 'every_ms' in schedule) await queue.add(name, {}, { attempts })
    }
  }
}

function contractsOf({ name: queue }: BullQueue): [string, Contract][] {
  return Object.entries<Contract>(jobs).filter(([, contract]) => contract.queue === queue)
}

/**
 * Keeps the schedules until `stopping`: a Redis that was emptied forgets them too, and nothing would ever run again. An error
 * is told, and the next time comes.
 */
export async function keepKeepingSchedules(
  queues: readonly BullQueue[],
  every_ms: number,
  stopping: AbortSignal,
  onError: (error: Error) => void,
): Promise<void> {
  while (!stopping.aborted) {
    await pause(every_ms, undefined, { signal: stopping }).catch(() => undefined)
    if (stopping.aborted) return
    await keepSchedules(queues).catch((error: unknown) => {
      if (!stopping.aborted) onError(error as Error)
    })
  }
}

/** One that is late by more than its own interval has lost its next run, or no worker was there; either way it may be set anew. */
function isKept(registered: JobSchedulerJson | undefined, { schedule, attempts }: Contract): boolean {
  if (!registered || !schedule || registered.template?.opts?.attempts !== attempts) return false
  if ('cron' in schedule) return registered.pattern === schedule.cron
  return registered.every === schedule.every_ms && (registered.next ?? 0) + schedule.every_ms > Date.now()
}
