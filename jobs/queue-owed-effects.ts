import { takeOwedEffects } from '../src/events/queries.ts'
import type { JobServices } from './services.ts'
import { queueEffects } from './queue.ts'

const BATCH_MAX = 500

/** Queues the effects that are due and not done: those of a process that ended between commit and queue, of a queue that forgot, of a handler that failed. */
export async function queueOwedEffects(_payload: object, { db, queue, log }: JobServices, stopping: AbortSignal): Promise<void> {
  for (let taken = BATCH_MAX; taken === BATCH_MAX && !stopping.aborted;) {
    const owed = await takeOwedEffects(db, BATCH_MAX)
    await queueEffects(queue, owed)
    taken = owed.length
    const late = owed.filter(({ tries }) => tries > 1)
    if (late.length > 0) log.warn({ effects: late }, 'effects are queued again')
  }
}
