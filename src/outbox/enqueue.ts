import type { JobQueue } from '../queue/queue.ts'
import type { PendingDelivery } from './queries.ts'

/** Gives each requeue its own job id, because BullMQ ignores an id that it still stores. @throws QueueUnavailable */
export async function enqueueDeliveries(queue: Pick<JobQueue, 'enqueue'>, deliveries: readonly PendingDelivery[]): Promise<void> {
  for (const { event_id, handler, requeues } of deliveries) {
    await queue.enqueue('deliver', { event_id, handler }, { id: deliveryJobId({ event_id, handler, requeues }) })
  }
}

export const deliveryJobId = ({ event_id, handler, requeues }: PendingDelivery): string =>
  `delivery-${event_id}-${handler}-${requeues}`
