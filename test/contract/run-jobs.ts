import { deliver } from '../../jobs/handlers/deliver.ts'
import { sendMails } from '../../jobs/handlers/send-mails.ts'
import { sql } from '../../src/database/database.ts'
import type { Services } from '../../src/services.ts'
import { queryRows } from '../helpers/query-rows.ts'

/** Runs all deliveries that wait, and sends all mails. */
export async function runJobs(appServices: Services): Promise<void> {
  const services = { ...appServices, queue: { enqueue: () => Promise.resolve('') } }
  const { signal } = new AbortController()
  const pending = await queryRows<{ event_id: number; handler: string }>(
    services.db,
    sql`
    SELECT e.event_id, e.handler FROM outbox_deliveries e WHERE e.delivered_at IS NULL ORDER BY e.event_id, e.handler`,
  )
  for (const delivery of pending) await deliver(delivery, services, signal)
  await sendMails({}, services, signal)
}
