import { takePendingDeliveries } from '../../src/outbox/queries.ts'
import type { JobServices } from './services.ts'
import { enqueueDeliveries } from '../../src/outbox/enqueue.ts'

const BATCH_MAX = 500

/**
 * Queues the pending deliveries that are due: after a crash between commit and queue, after data loss in the queue, and after a
 * failure.
 */
export async function dispatchOutbox(_payload: object, { db, queue, log }: JobServices, stopping: AbortSignal): Promise<void> {
  for (let taken = BATCH_MAX; taken === BATCH_MAX && !stopping.aborted;) {
    const { pending, dead } = await takePendingDeliveries(db, BATCH_MAX)
    await enqueueDeliveries(queue, pending)
    taken = pending.length + dead.length
    if (dead.length > 0) log.error({ deliveries: dead }, 'deliveries are dead letters: their workers crashed repeatedly')
    const late = pending.filter(({ attempts }) => attempts > 1)
    if (late.length > 0) log.warn({ deliveries: late }, 'deliveries are queued again')
  }
}
