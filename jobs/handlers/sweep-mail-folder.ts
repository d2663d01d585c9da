import type { JobServices } from './services.ts'

/** Time for which mail files are stored; their links expire within a week. */
const KEPT_MS = 30 * 86_400_000
const BATCH_MAX = 500

/** Deletes mail files in `DATA_DIR`/mails that are older than thirty days, even if `SMTP_URL` is set now. */
export async function sweepMailFolder(
  _payload: object,
  { mailer: { folder }, clock }: Pick<JobServices, 'mailer' | 'clock'>,
  stopping?: AbortSignal,
): Promise<void> {
  const before = new Date(clock().getTime() - KEPT_MS)
  for (let batch = BATCH_MAX; batch === BATCH_MAX && !stopping?.aborted;) batch = await folder.deleteOlderThan(before, BATCH_MAX)
}
