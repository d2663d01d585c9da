import type { JobQueue } from '../queue/queue.ts'
import type { OwedEffect } from './queries.ts'

/** Queues effects, each try under an id of its own: BullMQ ignores an id that it still keeps. @throws QueueUnavailable */
export async function queueEffects(queue: Pick<JobQueue, 'enqueue'>, effects: readonly OwedEffect[]): Promise<void> {
  for (const { event_id, handler, tries } of effects) {
    await queue.enqueue('do-effect', { event_id, handler }, { id: effectJobId({ event_id, handler, tries }) })
  }
}

/** Of one try: BullMQ keeps a job for a while under this id. */
export const effectJobId = ({ event_id, handler, tries }: OwedEffect): string => `effect-${event_id}-${handler}-${tries}`
