import { deleteRemovedEmails } from '../../src/accounts/emails/queries.ts'
import type { JobServices } from './services.ts'

const BATCH_MAX = 1_000

export async function purgeRemovedEmails(_payload: object, { db }: Pick<JobServices, 'db'>, signal?: AbortSignal): Promise<void> {
  for (let batch = BATCH_MAX; batch === BATCH_MAX && !signal?.aborted;) batch = await deleteRemovedEmails(db, BATCH_MAX)
}
