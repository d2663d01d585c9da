import { takeOwedEffects } from '../../src/outbox/queries.ts'
import type { JobServices } from './services.ts'
import { queueEffects } from '../../src/outbox/dispatch.ts'

const BATCH_MAX = 500

/**
 * Queues the pending deliveries that are due: after a crash between commit and queue, after data loss in the queue, and after a
 * failure.
 */
export async function queueOwedEffects(_payload: object, { db, queue, log }: JobServices, stopping: AbortSignal): Promise<void> {
  for (let taken = BATCH_MAX; taken === BATCH_MAX && !stopping.aborted;) {
    const { owed, dead } = await takeOwedEffects(db, BATCH_MAX)
    await queueEffects(queue, owed)
    taken = owed.length + dead.length
    if (dead.length > 0) log.error({ effects: dead }, 'effects are dead: their workers never came to the end of them')
    const late = owed.filter(({ attempts }) => attempts > 1)
    if (late.length > 0) log.warn({ effects: late }, 'effects are queued again')
  }
}
