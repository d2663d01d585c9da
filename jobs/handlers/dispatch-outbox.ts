import { rescheduleDueDeliveries } from '../../src/outbox/queries.ts'
import type { JobServices } from './services.ts'
import { addDeliveryJobs } from '../../src/outbox/delivery-jobs.ts'

const BATCH_MAX = 500

/** Queues the pending deliveries that are due after a crash, a failure or data loss in the queue. */
export async function dispatchOutbox(_payload: object, { db, queue, log }: JobServices, signal: AbortSignal): Promise<void> {
  for (let due = BATCH_MAX; due === BATCH_MAX && !signal.aborted;) {
    const { pending, dead } = await rescheduleDueDeliveries(db, BATCH_MAX)
    await addDeliveryJobs(queue, pending)
    due = pending.length + dead.length
    if (dead.length > 0) log.error({ deliveries: dead }, 'deliveries did not succeed and are now dead letters')
    // The first requeue is usual: the first job was late, was lost or failed once.
    const repeated = pending.filter(({ requeues }) => requeues > 1)
    if (repeated.length > 0) log.warn({ deliveries: repeated }, 'queued deliveries again')
  }
}
