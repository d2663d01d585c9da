import { setTimeout as wait } from 'node:timers/promises'

const RETRIES_MAX = 3
const PAUSE_MAX_MS = 50

/** SQLSTATE 40P01 is a deadlock, 40001 a serialization failure; P2034 is Prisma's code for both. */
const CONFLICTS: ReadonlySet<unknown> = new Set(['40P01', '40001', 'P2034'])

/** Returns whether the database aborted the transaction because of a concurrent one, so that a retry may succeed. */
export function isConflict(error: unknown): boolean {
  const { code, meta } = error as { code?: string; meta?: { driverAdapterError?: { cause?: { originalCode?: string } } } }
  return CONFLICTS.has(code) || CONFLICTS.has(meta?.driverAdapterError?.cause?.originalCode)
}

/**
 * Runs `work` and retries it after a conflict, up to three times, each time after a random delay of up to 50 ms per attempt. The
 * last conflict is thrown and becomes a 503.
 */
export async function retryOnConflict<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt > RETRIES_MAX || !isConflict(error)) throw error
      await wait(Math.random() * PAUSE_MAX_MS * attempt)
    }
  }
}
