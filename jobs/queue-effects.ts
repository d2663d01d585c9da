import type { OwedEffect } from '../src/events/queries.ts'
import type { JobQueue } from './queue.ts'

/** Queues effects, each try under an id of its own: BullMQ ignores an id that it still keeps. @throws QueueUnavailable */
export async function queueEffects(queue: Pick<JobQueue, 'enqueue'>, effects: readonly OwedEffect[]): Promise<void> {
  for (const { event_id, handler, tries } of effects) {
    await queue.enqueue('do-effect', { event_id, handler }, { id: `effect-${event_id}-${handler}-${tries}` })
  }
}
