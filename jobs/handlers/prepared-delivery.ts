import type { Transaction } from '../../src/database/database.ts'
import type { StoredEvent } from '../../src/outbox/queries.ts'
import type { JobServices } from './services.ts'

interface PreparedDelivery {
  readonly write: (tx: Transaction) => Promise<void>
  /** Runs after the commit and may be lost in a crash, so a scheduled job must cover its work. */
  readonly afterCommit: () => Promise<void>
}

/** The delivery starts again at this time, and neither counts as started nor as failed. */
interface PostponedDelivery {
  readonly postponedUntil: string
}

/**
 * A delivery handler prepares its work outside of a transaction, possibly several times. It returns
 * - a write, alone or with `afterCommit`: it runs once, in the transaction that marks the delivery as delivered
 * - undefined if there is nothing to write: the delivery is marked as delivered
 * - `still pending` if an external condition prevents the delivery now: it stays pending, with `postponedUntil` until that time
 */
export type DeliveryHandler = (
  event: StoredEvent,
  services: JobServices,
  signal: AbortSignal,
) => Promise<((tx: Transaction) => Promise<void>) | PreparedDelivery | PostponedDelivery | 'still pending' | undefined>
