import type { Transaction } from '../../src/database/database.ts'
import type { StoredEvent } from '../../src/outbox/queries.ts'
import type { JobServices } from './services.ts'

export interface PreparedDelivery {
  readonly write: (tx: Transaction) => Promise<void>
  /** Runs after the commit and may be lost in a crash, so a scheduled job must cover its work. */
  readonly afterCommit: () => Promise<void>
}

/**
 * The preparation may run twice, outside of the transaction. The returned write runs once, in the one that marks it as done. The
 * handler returns `still pending` if an external condition prevents the delivery now.
 */
export type DeliveryHandler = (
  event: StoredEvent,
  services: JobServices,
  signal: AbortSignal,
) => Promise<((tx: Transaction) => Promise<void>) | PreparedDelivery | 'still pending' | undefined>
