import { deleteRemovedEmails } from '../../src/accounts/emails/queries.ts'
import type { JobServices } from './services.ts'

const BATCH_MAX = 1_000

/** Deletes removed addresses in batches when no link can restore them any more. */
export async function sweepRemovedEmails(_payload: object, { db }: Pick<JobServices, 'db'>, stopping?: AbortSignal): Promise<void> {
  for (let batch = BATCH_MAX; batch === BATCH_MAX && !stopping?.aborted;) batch = await deleteRemovedEmails(db, BATCH_MAX)
}
