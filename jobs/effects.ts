import type { Transaction } from '../src/database/database.ts'
import type { StoredEvent } from '../src/events/queries.ts'
import type { EffectName } from './contracts.ts'
import type { JobServices } from './services.ts'
import { shrinkPictureOf } from './shrink-picture.ts'

/**
 * Prepares one effect of an event and gives what remains to be written; that happens once, in the transaction that notes the effect as
 * done. Preparing may happen twice. Whatever is outside of the database belongs here, before the transaction.
 */
export type Effect = (
  event: StoredEvent,
  services: JobServices,
  stopping: AbortSignal,
) => Promise<((tx: Transaction) => Promise<void>) | undefined>

/** Every effect that an event may have; the compiler refuses a gap. */
export const effects: { readonly [Name in EffectName]: Effect } = {
  'shrink-picture': shrinkPictureOf,
}

export function isEffectName(name: string): name is EffectName {
  return Object.hasOwn(effects, name)
}
