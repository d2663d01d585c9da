import { rollUpCellChanges } from '../../src/geo/pyramid/roll-up.ts'
import type { JobServices } from './services.ts'

/** Rolls up the change log of the pyramid. Counts are correct without it, but slower. */
export async function rollUpCells(_payload: object, { db }: Pick<JobServices, 'db'>, signal?: AbortSignal): Promise<void> {
  await rollUpCellChanges(db, signal)
}
