import type { JobQueue } from '../queue/queue.ts'
import type { OwedEffect } from './queries.ts'

/**
 * Queues outbox deliveries. Each attempt has its own job id because BullMQ ignores an id that it still stores.
 * @throws QueueUnavailable
 */
export async function queueEffects(queue: Pick<JobQueue, 'enqueue'>, effects: readonly OwedEffect[]): Promise<void> {
  for (const { event_id, handler, tries } of effects) {
    await queue.enqueue('do-effect', { event_id, handler }, { id: effectJobId({ event_id, handler, tries }) })
  }
}

/** Returns the job id of one attempt. */
export const effectJobId = ({ event_id, handler, tries }: OwedEffect): string => `effect-${event_id}-${handler}-${tries}`
