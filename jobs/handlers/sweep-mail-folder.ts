import type { JobServices } from './services.ts'

/** Their links are good for a week at most; the mails are kept for trials without a mail server. */
const KEPT_MS = 30 * 86_400_000
const BATCH_MAX = 500

/** Removes the mails of `DATA_DIR`/mails that are older than thirty days, batch by batch, also where `SMTP_URL` is set by now. */
export async function sweepMailFolder(
  _payload: object,
  { mailer: { folder }, clock }: Pick<JobServices, 'mailer' | 'clock'>,
  stopping?: AbortSignal,
): Promise<void> {
  const before = new Date(clock().getTime() - KEPT_MS)
  for (let batch = BATCH_MAX; batch === BATCH_MAX && !stopping?.aborted;) batch = await folder.removeOlder(before, BATCH_MAX)
}
