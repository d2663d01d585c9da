import type { Transaction } from '../../src/database/database.ts'
import type { StoredEvent } from '../../src/outbox/queries.ts'
import type { JobServices } from './services.ts'

/** What is left to do of an effect, where more than the writing is. */
export interface Prepared {
  readonly write: (tx: Transaction) => Promise<void>
  /** After the commit. It may be lost, since the process may end before it: a sweep must find what it would have begun. */
  readonly wake: () => Promise<void>
}

/**
 * Prepares one effect of an event and gives what remains to be written; that happens once, in the transaction that notes the effect as
 * done. Preparing may happen twice. Whatever is outside of the database belongs here, before the transaction. What could not be done yet,
 * through no fault of ours, gives 'still owed': the sweep takes it up again.
 */
export type Effect = (
  event: StoredEvent,
  services: JobServices,
  stopping: AbortSignal,
) => Promise<((tx: Transaction) => Promise<void>) | Prepared | 'still owed' | undefined>
