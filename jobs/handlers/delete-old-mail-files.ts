import type { JobServices } from './services.ts'

/** Time for which mail files are stored; their links expire within a week. */
const RETENTION_MS = 30 * 86_400_000
const BATCH_MAX = 500

export async function deleteOldMailFiles(
  _payload: object,
  { mailer: { folder }, clock }: Pick<JobServices, 'mailer' | 'clock'>,
  signal?: AbortSignal,
): Promise<void> {
  const before = new Date(clock().getTime() - RETENTION_MS)
  for (let batch = BATCH_MAX; batch === BATCH_MAX && !signal?.aborted;) batch = await folder.deleteOlderThan(before, BATCH_MAX)
}
