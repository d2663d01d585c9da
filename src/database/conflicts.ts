import { setTimeout as wait } from 'node:timers/promises'

const FURTHER_TRIES = 3
const PAUSE_MAX_MS = 50

/** Two transactions that wait for each other (40P01), and one that another one was quicker than (40001); P2034 is Prisma's name for both. */
const CONFLICTS: ReadonlySet<unknown> = new Set(['40P01', '40001', 'P2034'])

/** Whether the database gave up one transaction for the sake of another: the same may well succeed when it is begun anew. */
export function isConflict(error: unknown): boolean {
  const { code, meta } = error as { code?: string; meta?: { driverAdapterError?: { cause?: { originalCode?: string } } } }
  return CONFLICTS.has(code) || CONFLICTS.has(meta?.driverAdapterError?.cause?.originalCode)
}

/**
 * Does `work` anew, up to three times, when it met a conflict, after a pause of up to 50 ms for each try, so that two which met once do
 * not meet again. What fails beyond that is still a conflict, which answers as 503.
 */
export async function againOnConflict<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries > FURTHER_TRIES || !isConflict(error)) throw error
      await wait(Math.random() * PAUSE_MAX_MS * tries)
    }
  }
}
