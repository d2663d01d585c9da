import { type EffectName, isEffectName, type Payload } from '../../src/queue/contracts.ts'
import { effects } from './deliverers.ts'
import type { JobServices } from './services.ts'
import {
  allowTime,
  beginEffect,
  noteEffectFailure,
  noteEffectWaits,
  payEffect,
  type StoredEvent,
} from '../../src/outbox/queries.ts'
import { toldError } from './redact-error.ts'

/**
 * Handles one outbox delivery exactly once: the handler's writes are in the transaction that marks the delivery as done. A
 * duplicate job finds nothing pending. A failed delivery stays pending, and the sweep queues it again.
 */
export async function doEffect(
  { event_id, handler }: Payload<'deliver'>,
  services: JobServices,
  stopping: AbortSignal,
): Promise<void> {
  // During a deployment another worker may know the handler and take the next attempt.
  if (!isEffectName(handler)) throw new Error(`There is no effect named ${handler}`)
  await doOnce(event_id, handler, services, stopping)
}

async function doOnce(eventId: number, handler: EffectName, services: JobServices, stopping: AbortSignal): Promise<void> {
  const { db, log } = services
  const event = await beginEffect(db, eventId, handler)
  if (!event) return
  try {
    await doBegun(event, handler, services, stopping)
  } catch (error) {
    // The failure is already counted by `beginEffect`, so it is not lost if the database is down.
    const isDead = await noteEffectFailure(db, eventId, handler, toldError(error)).catch(() => false)
    if (isDead) log.error({ event_id: eventId, handler }, 'an effect is dead: it failed for about a day')
    throw error
  }
}

async function doBegun(event: StoredEvent, handler: EffectName, services: JobServices, stopping: AbortSignal): Promise<void> {
  const prepared = await effects[handler](event, services, stopping)
  if (prepared === 'still owed') return noteEffectWaits(services.db, event.id, handler)
  const { write, wake } = typeof prepared === 'object' ? prepared : { write: prepared, wake: undefined }
  const isPaid = await services.db.transaction(async (tx) => {
    // One statement may write the deliveries of a hundred thousand recipients.
    await allowTime(tx)
    const isOurs = await payEffect(tx, event.id, handler)
    if (isOurs) await write?.(tx)
    return isOurs
  })
  if (!isPaid || !wake) return
  await wake().catch((error: unknown) => {
    services.log.warn({ err: error }, 'the queue did not take what follows from an effect: the next sweep will')
  })
}
