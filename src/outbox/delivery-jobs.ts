import type { Database, RecordedDelivery } from '../database/database.ts'
import type { JobQueue } from '../queue/queue.ts'

/** Adds a job `deliver` for each delivery. @throws QueueUnavailable */
export async function addDeliveryJobs(queue: Pick<JobQueue, 'enqueue'>, deliveries: readonly RecordedDelivery[]): Promise<void> {
  for (const { event_id, handler, requeues } of deliveries) {
    await queue.enqueue('deliver', { event_id, handler }, { id: deliveryJobId({ event_id, handler, requeues }) })
  }
}

/** Each requeue has its own job id, because BullMQ ignores an id that it still stores. */
export const deliveryJobId = ({ event_id, handler, requeues }: RecordedDelivery): string =>
  `delivery-${event_id}-${handler}-${requeues}`

interface Warnings {
  warn(details: object, message: string): void
}

/** Returns a function that adds the jobs without waiting; the job `dispatch-outbox` finds the rows if the queue is unavailable or absent. */
export const createDeliveryQueue =
  (queue: Pick<JobQueue, 'enqueue'> | undefined, log: Warnings) =>
  (deliveries: readonly RecordedDelivery[]): void => {
    if (!queue || deliveries.length === 0) return
    addDeliveryJobs(queue, deliveries).catch((error: unknown) => {
      log.warn({ err: error }, 'could not queue the outbox deliveries: the next run of dispatch-outbox queues them')
    })
  }

/** Returns the database with transactions that queue their deliveries after the commit. */
export function queueAfterCommit(db: Database, enqueue: (deliveries: readonly RecordedDelivery[]) => void): Database {
  return {
    ...db,
    async transaction(work) {
      let recorded: readonly RecordedDelivery[] = []
      const result = await db.transaction((tx) => {
        // A retry after a conflict begins with an empty list.
        recorded = tx.deliveries
        return work(tx)
      })
      enqueue(recorded)
      return result
    },
  }
}
