import type { JobQueue } from '../queue/queue.ts'
import type { OutboxDelivery } from './queries.ts'

/** Adds a job `deliver` for each delivery. @throws QueueUnavailable */
export async function addDeliveryJobs(queue: Pick<JobQueue, 'enqueue'>, deliveries: readonly OutboxDelivery[]): Promise<void> {
  for (const { event_id, handler, requeues } of deliveries) {
    await queue.enqueue('deliver', { event_id, handler }, { id: deliveryJobId({ event_id, handler, requeues }) })
  }
}

/** Each requeue has its own job id, because BullMQ ignores an id that it still stores. */
export const deliveryJobId = ({ event_id, handler, requeues }: OutboxDelivery): string =>
  `delivery-${event_id}-${handler}-${requeues}`
