import type { JobQueue } from '../queue/queue.ts'
import type { OwedEffect } from './queries.ts'

/**
 * Queues outbox deliveries. Each attempt has its own job id because BullMQ ignores an id that it still stores.
 * @throws QueueUnavailable
 */
export async function queueEffects(queue: Pick<JobQueue, 'enqueue'>, effects: readonly OwedEffect[]): Promise<void> {
  for (const { event_id, handler, attempts } of effects) {
    await queue.enqueue('deliver', { event_id, handler }, { id: effectJobId({ event_id, handler, attempts }) })
  }
}

/** Returns the job id of one attempt. */
export const effectJobId = ({ event_id, handler, attempts }: OwedEffect): string => `delivery-${event_id}-${handler}-${attempts}`
