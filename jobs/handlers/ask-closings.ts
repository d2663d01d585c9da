import { askNextClosings } from '../../src/notifications/recipients/closing-queries.ts'
import { inBatches } from './in-batches.ts'
import type { JobServices } from './services.ts'

const BATCH_MAX = 100

/** Writes the mails that ask whether an issue is fixed, three days after staff closed it. `send-mails` sends them. */
export async function askClosings(
  _payload: object,
  { db, log, clock }: Pick<JobServices, 'db' | 'log' | 'clock'>,
  signal?: AbortSignal,
): Promise<void> {
  const due = await inBatches(BATCH_MAX, signal, (size) => askNextClosings(db, clock(), size))
  if (due > 0) log.info({ closings: due }, 'asked whether issues are fixed')
}
