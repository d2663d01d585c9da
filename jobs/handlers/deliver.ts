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
 * Does one effect of one event, once: what the handler prepared is written in the transaction that notes the effect as done. A job
 * that comes twice finds nothing owed; one that fails leaves it owed, and the sweep queues it again later.
 */
export async function doEffect(
  { event_id, handler }: Payload<'do-effect'>,
  services: JobServices,
  stopping: AbortSignal,
): Promise<void> {
  // While a new release replaces this one, a worker that knows the effect will take it from the next sweep.
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
    // Where the database is away the failure is counted all the same: it was from the beginning on.
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
    // Whoever watches a city may be a hundred thousand: what is told of them is written whole, however long that takes.
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
