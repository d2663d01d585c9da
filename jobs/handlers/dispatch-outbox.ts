import { takePendingDeliveries } from '../../src/outbox/queries.ts'
import type { JobServices } from './services.ts'
import { enqueueDeliveries } from '../../src/outbox/enqueue.ts'

const BATCH_MAX = 500

/** Queues the pending deliveries that are due after a crash, a failure or data loss in the queue. */
export async function dispatchOutbox(_payload: object, { db, queue, log }: JobServices, signal: AbortSignal): Promise<void> {
  for (let taken = BATCH_MAX; taken === BATCH_MAX && !signal.aborted;) {
    const { pending, dead } = await takePendingDeliveries(db, BATCH_MAX)
    await enqueueDeliveries(queue, pending)
    taken = pending.length + dead.length
    if (dead.length > 0) log.error({ deliveries: dead }, 'deliveries crashed their workers repeatedly and are now dead letters')
    const retried = pending.filter(({ attempts }) => attempts > 1)
    if (retried.length > 0) log.warn({ deliveries: retried }, 'queued deliveries again')
  }
}
