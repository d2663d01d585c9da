import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * The embedded engine has one session, so another query inside a transaction would deadlock. This check makes it an error on both
 * engines.
 */
const transactions = new AsyncLocalStorage<true>()

/** Prisma's promises are lazy, so `work` is awaited inside the async context. */
export function insideTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
  return transactions.run(true, async () => await work())
}

/**
 * Rejects calls within a transaction of the same request.
 * @throws Error within a transaction
 */
export function assertOutsideTransaction(): void {
  if (transactions.getStore()) {
    throw new Error('Inside a transaction only its own handle may be used: await tx.query or tx.prisma, nothing of the database.')
  }
}
