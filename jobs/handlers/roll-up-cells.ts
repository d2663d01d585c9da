import { foldCellChanges } from '../../src/geo/pyramid/fold.ts'
import type { JobServices } from './services.ts'

/** Adds up what changed in the cells of the pyramid, so that counts stay cheap; they are right without it. */
export async function foldCells(_payload: object, { db }: Pick<JobServices, 'db'>, stopping?: AbortSignal): Promise<void> {
  await foldCellChanges(db, stopping)
}
