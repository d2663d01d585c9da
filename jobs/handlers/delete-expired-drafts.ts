import { deleteDraftsThatExpired } from '../../src/reporting/drafts/draft-queries.ts'
import type { JobServices } from './services.ts'

/** Deletes the rows. Their files have no row afterwards, so `delete-orphaned-files` deletes them. */
export async function deleteExpiredDrafts(_payload: object, { db, clock }: Pick<JobServices, 'db' | 'clock'>): Promise<void> {
  await deleteDraftsThatExpired(db, clock())
}
