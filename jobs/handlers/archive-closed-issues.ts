import { archiveNextClosedIssues } from '../../src/issues/archive-queries.ts'
import { inBatches } from './in-batches.ts'
import type { JobServices } from './services.ts'

/** The batch is small, because the embedded database has one session and requests wait for it. */
const BATCH_MAX = 500

/** Archives issues that have been closed for seven days. */
export async function archiveClosedIssues(
  _payload: object,
  { db, log, clock }: Pick<JobServices, 'db' | 'log' | 'clock'>,
  signal?: AbortSignal,
): Promise<void> {
  const archived = await inBatches(BATCH_MAX, signal, (size) => archiveNextClosedIssues(db, clock(), size))
  if (archived > 0) log.info({ archived }, 'archived closed issues')
}
