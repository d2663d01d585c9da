import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * The embedded engine has one session: who awaits another query inside a transaction waits for ever. So it is a mistake on
 * both engines, and shows at once instead of only where it hangs.
 */
const transactions = new AsyncLocalStorage<true>()

/** Prisma's promises do nothing until they are awaited, so `work` is awaited here and not by whoever called. */
export function insideTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
  return transactions.run(true, async () => await work())
}

/** @throws Error when called while a transaction of the same request runs. */
export function assertOutsideTransaction(): void {
  if (transactions.getStore()) {
    throw new Error('Inside a transaction only its own handle may be used: await tx.query or tx.prisma, nothing of the database.')
  }
}
