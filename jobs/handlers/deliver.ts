import { type DeliveryHandlerName, isDeliveryHandlerName, type Payload } from '../../src/queue/job-definitions.ts'
import { deliveryHandlers } from './delivery-handlers.ts'
import type { JobServices } from './services.ts'
import {
  extendStatementTimeout,
  startDelivery,
  recordDeliveryError,
  clearStarts,
  markDelivered,
  type StoredEvent,
  FinalDeliveryError,
} from '../../src/outbox/queries.ts'
import { describeError } from './redact-error.ts'

/** The writes of the handler are in the transaction that marks the delivery as delivered, so they happen exactly once. */
export async function deliver(
  { event_id: eventId, handler }: Payload<'deliver'>,
  services: JobServices,
  signal: AbortSignal,
): Promise<void> {
  // During a deployment another worker may know the handler and take the delivery when it is queued again.
  if (!isDeliveryHandlerName(handler)) throw new Error(`There is no delivery handler named ${handler}`)
  const { db, log } = services
  const event = await startDelivery(db, eventId, handler)
  if (!event) return
  try {
    await runDeliveryHandler(event, handler, services, signal)
  } catch (error) {
    // `startDelivery` has already counted the start, so the failure is not lost if the database is down.
    const isFinal = error instanceof FinalDeliveryError
    const isDead = await recordDeliveryError(db, eventId, handler, describeError(error), isFinal).catch(() => false)
    if (isDead) log.error({ event_id: eventId, handler }, 'delivery failed for about a day, or finally, and is now a dead letter')
    throw error
  }
}

async function runDeliveryHandler(
  event: StoredEvent,
  handler: DeliveryHandlerName,
  services: JobServices,
  signal: AbortSignal,
): Promise<void> {
  const prepared = await deliveryHandlers[handler](event, services, signal)
  if (prepared === 'still pending') return clearStarts(services.db, event.id, handler)
  if (typeof prepared === 'object' && 'postponedUntil' in prepared)
    return clearStarts(services.db, event.id, handler, prepared.postponedUntil)
  const { write, afterCommit } = typeof prepared === 'object' ? prepared : { write: prepared, afterCommit: undefined }
  const isFirst = await services.db.transaction(async (tx) => {
    // One statement may write the mails of a hundred thousand recipients.
    await extendStatementTimeout(tx)
    if (!(await markDelivered(tx, event.id, handler))) return false
    await write?.(tx)
    return true
  })
  if (!isFirst || !afterCommit) return
  await afterCommit().catch((error: unknown) => {
    services.log.warn({ err: error }, 'could not queue follow-up jobs: the next scheduled run does their work')
  })
}
