import { leaseDueDeliveries } from '../../src/outbox/queries.ts'
import type { JobServices } from './services.ts'
import { enqueueDeliveries } from '../../src/outbox/enqueue.ts'

const BATCH_MAX = 500

/** Queues the pending deliveries that are due after a crash, a failure or data loss in the queue. */
export async function dispatchOutbox(_payload: object, { db, queue, log }: JobServices, signal: AbortSignal): Promise<void> {
  for (let leased = BATCH_MAX; leased === BATCH_MAX && !signal.aborted;) {
    const { pending, dead } = await leaseDueDeliveries(db, BATCH_MAX)
    await enqueueDeliveries(queue, pending)
    leased = pending.length + dead.length
    if (dead.length > 0) log.error({ deliveries: dead }, 'deliveries crashed their workers repeatedly and are now dead letters')
    const repeated = pending.filter(({ requeues }) => requeues > 1)
    if (repeated.length > 0) log.warn({ deliveries: repeated }, 'queued deliveries again')
  }
}
