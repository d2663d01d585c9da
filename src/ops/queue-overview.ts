import { type QueueName, queueNames } from '../queue/job-definitions.ts'
import type { BullQueue, JobQueue } from '../queue/queue.ts'
import { readQueue, withTimeout } from './snapshot.ts'

const MINUTES = 15
const FAILED_MAX = 100
const REASON_LENGTH = 200

export type QueueOverview = Awaited<ReturnType<typeof readOverview>>

/** Returns what the page of operators shows of each queue, as it is now; a queue that does not answer is left out. */
export async function readOverviews(queue: Pick<JobQueue, 'queues'> | undefined): Promise<ReadonlyMap<QueueName, QueueOverview>> {
  const read = queueNames.map(async (name) => {
    const overview = queue && (await withTimeout(readOverview(queue.queues[name])))
    return overview ? ([[name, overview]] as const) : []
  })
  return new Map((await Promise.all(read)).flat())
}

/** `reasons` counts the newest failed jobs by the first line of their error. */
async function readOverview(queue: BullQueue) {
  const [state, isPaused, metrics, failed] = await Promise.all([
    readQueue(queue),
    queue.isPaused(),
    queue.getMetrics('completed', 0, MINUTES - 1),
    queue.getJobs(['failed'], 0, FAILED_MAX - 1),
  ])
  const reasons = new Map<string, number>()
  for (const { name, failedReason } of failed) {
    const [line = ''] = (failedReason ?? '').split('\n')
    const reason = `${name}: ${line.slice(0, REASON_LENGTH)}`
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  }
  const finished = metrics.data.reduce((sum, count) => sum + Number(count), 0)
  return { ...state, isPaused, per_minute: Math.round(finished / MINUTES), reasons: [...reasons].sort(([, a], [, b]) => b - a) }
}
