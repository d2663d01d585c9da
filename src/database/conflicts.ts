import { setTimeout as wait } from 'node:timers/promises'

const RETRIES_MAX = 3
const PAUSE_MAX_MS = 50

/** SQLSTATE 40P01 is a deadlock, 40001 a serialization failure; P2034 is Prisma's code for both. */
const CONFLICTS: ReadonlySet<unknown> = new Set(['40P01', '40001', 'P2034'])

/** Returns whether a concurrent transaction caused the error, so that a retry may succeed. */
export function isConflict(error: unknown): boolean {
  const { code, meta } = error as { code?: string; meta?: { driverAdapterError?: { cause?: { originalCode?: string } } } }
  return CONFLICTS.has(code) || CONFLICTS.has(meta?.driverAdapterError?.cause?.originalCode)
}

/** Retries `work` after a conflict up to three times, after random delays, and then throws the conflict, which becomes a 503. */
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
