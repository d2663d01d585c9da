import { AsyncLocalStorage } from 'node:async_hooks'

/** The embedded engine has one session, so another query inside a transaction would deadlock. On both engines it is an error. */
const transactions = new AsyncLocalStorage<true>()

/** Prisma's promises are lazy, so `work` is awaited inside the async context. */
export function insideTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
  return transactions.run(true, async () => await work())
}

/** @throws Error within a transaction of the same request */
export function assertOutsideTransaction(): void {
  if (transactions.getStore()) {
    throw new Error('Inside a transaction only its own handle may be used: await tx.query or tx.prisma instead of the database.')
  }
}
