import type { Transaction } from '../../src/database/database.ts'
import type { StoredEvent } from '../../src/outbox/queries.ts'
import type { JobServices } from './services.ts'

export interface PreparedDelivery {
  readonly write: (tx: Transaction) => Promise<void>
  /** Runs after the commit and may be lost in a crash, so a scheduled job must cover its work. */
  readonly afterCommit: () => Promise<void>
}

/**
 * A delivery handler prepares its work, possibly several times and outside of a transaction. The write that it returns runs once, in the
 * transaction that marks the delivery as delivered. It returns undefined if there is nothing to
 * write, and the delivery is marked as well, or `still pending` if an external condition prevents the delivery now.
 */
export type DeliveryHandler = (
  event: StoredEvent,
  services: JobServices,
  signal: AbortSignal,
) => Promise<((tx: Transaction) => Promise<void>) | PreparedDelivery | 'still pending' | undefined>
