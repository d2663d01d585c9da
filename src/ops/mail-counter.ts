import type { Queryable } from '../database/database.ts'
import { COUNTED_AFTER_S, countFinishedMails, type FinishedMails } from '../mail/metrics-queries.ts'

export type MailTotals = Readonly<Omit<FinishedMails, 'until'>>

/** Returns a function that counts the mails that all workers have finished since the start of this process. */
export function createMailCounter(db: Queryable, startedAt: Date): () => Promise<MailTotals> {
  let since = new Date(startedAt.getTime() - COUNTED_AFTER_S * 1_000).toISOString()
  let totals: MailTotals = { sent: 0, rejected: 0, cancelled: 0 }
  return async () => {
    const from = since
    const { until, ...counts } = await countFinishedMails(db, from)
    // A slow call may overlap with the next one, and both count from the same timestamp.
    if (from === since && until > since) {
      since = until
      totals = {
        sent: totals.sent + counts.sent,
        rejected: totals.rejected + counts.rejected,
        cancelled: totals.cancelled + counts.cancelled,
      }
    }
    return totals
  }
}
