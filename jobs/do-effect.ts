import { type EffectName, isEffectName, type Payload } from './contracts.ts'
import { effects } from './effects.ts'
import type { JobServices } from './services.ts'
import { findOwedEvent, payEffect } from '../src/events/queries.ts'

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
  const event = await findOwedEvent(services.db, eventId, handler)
  if (!event) return
  const prepared = await effects[handler](event, services, stopping)
  if (prepared === 'still owed') return
  const { write, wake } = typeof prepared === 'object' ? prepared : { write: prepared, wake: undefined }
  const isPaid = await services.db.transaction(async (tx) => {
    const isOurs = await payEffect(tx, eventId, handler)
    if (isOurs) await write?.(tx)
    return isOurs
  })
  if (!isPaid || !wake) return
  await wake().catch((error: unknown) => {
    services.log.warn({ err: error }, 'the queue did not take what follows from an effect: the next sweep will')
  })
}
