import type { Transaction } from '../../src/database/database.ts'
import type { StoredEvent } from '../../src/outbox/queries.ts'
import type { JobServices } from './services.ts'

export interface PreparedDelivery {
  readonly write: (tx: Transaction) => Promise<void>
  /** Runs after the commit and may be lost in a crash, so a sweep must cover its work. */
  readonly afterCommit: () => Promise<void>
}

/**
 * Prepares one delivery and returns the write that runs once, in the transaction that marks it as done. The preparation may run
 * twice, and everything outside of the database belongs here. 'still pending' means that an external condition prevents it now,
 * and the job `dispatch-outbox` retries it.
 */
export type DeliveryHandler = (
  event: StoredEvent,
  services: JobServices,
  stopping: AbortSignal,
) => Promise<((tx: Transaction) => Promise<void>) | PreparedDelivery | 'still pending' | undefined>
