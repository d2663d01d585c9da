import { type HandlerName, isHandlerName, type Payload } from '../../src/queue/contracts.ts'
import { deliveryHandlers } from './delivery-handlers.ts'
import type { JobServices } from './services.ts'
import {
  extendStatementTimeout,
  beginDelivery,
  recordDeliveryFailure,
  recordDeliveryWait,
  markDelivered,
  type StoredEvent,
} from '../../src/outbox/queries.ts'
import { describeError } from './redact-error.ts'

/**
 * Handles one outbox delivery exactly once: the handler's writes are in the transaction that marks the delivery as done. A
 * duplicate job finds nothing pending. A failed delivery stays pending, and `dispatch-outbox` queues it again.
 */
export async function deliver(
  { event_id, handler }: Payload<'deliver'>,
  services: JobServices,
  stopping: AbortSignal,
): Promise<void> {
  // During a deployment another worker may know the handler and take the next attempt.
  if (!isHandlerName(handler)) throw new Error(`There is no handler named ${handler}`)
  await beginAndRun(event_id, handler, services, stopping)
}

async function beginAndRun(eventId: number, handler: HandlerName, services: JobServices, stopping: AbortSignal): Promise<void> {
  const { db, log } = services
  const event = await beginDelivery(db, eventId, handler)
  if (!event) return
  try {
    await runHandler(event, handler, services, stopping)
  } catch (error) {
    // The failure is already counted by `beginDelivery`, so it is not lost if the database is down.
    const isDead = await recordDeliveryFailure(db, eventId, handler, describeError(error)).catch(() => false)
    if (isDead) log.error({ event_id: eventId, handler }, 'the delivery is a dead letter: it failed for about a day')
    throw error
  }
}

async function runHandler(event: StoredEvent, handler: HandlerName, services: JobServices, stopping: AbortSignal): Promise<void> {
  const prepared = await deliveryHandlers[handler](event, services, stopping)
  if (prepared === 'still pending') return recordDeliveryWait(services.db, event.id, handler)
  const { write, afterCommit } = typeof prepared === 'object' ? prepared : { write: prepared, afterCommit: undefined }
  const isDelivered = await services.db.transaction(async (tx) => {
    // One statement may write the deliveries of a hundred thousand recipients.
    await extendStatementTimeout(tx)
    const isFirst = await markDelivered(tx, event.id, handler)
    if (isFirst) await write?.(tx)
    return isFirst
  })
  if (!isDelivered || !afterCommit) return
  await afterCommit().catch((error: unknown) => {
    services.log.warn({ err: error }, 'the queue did not take follow-up jobs: the next sweep dispatches them')
  })
}
