import { deliver } from '../../jobs/handlers/deliver.ts'
import { sendMails } from '../../jobs/handlers/send-mails.ts'
import type { JobServices } from '../../jobs/handlers/services.ts'
import { sql, type Database } from '../../src/database/database.ts'
import { createEndpointClient } from '../../src/georeport/endpoint-client.ts'
import { urlsFrom } from '../../src/http/request/urls.ts'
import { accountMailEventTypes } from '../../src/outbox/event-types.ts'
import { openMailFolder } from '../../src/mail/folder.ts'
import type { Mailer, OutgoingMail, SendResult } from '../../src/mail/mailer.ts'
import { PUBLIC_URL } from '../helpers/use-app.ts'
import { createTemporaryFileStore } from '../jobs/files.ts'
import { silentLog } from '../jobs/log.ts'
import { queryRows } from '../helpers/query-rows.ts'

const never = new AbortController().signal

/** Writes the mails that users wait for, and sends these and all other due ones, also those that wait for their next attempt. */
export async function sendPendingMails(services: JobServices): Promise<void> {
  const types = [...accountMailEventTypes, 'draft.link_requested', 'report.receipt_requested']
  const pending = await queryRows<{ event_id: number; handler: string }>(
    services.db,
    sql`
    SELECT d.event_id, d.handler FROM outbox_deliveries d JOIN events e ON e.id = d.event_id
    WHERE d.delivered_at IS NULL AND d.handler = 'notify' AND e.type = ANY (${types}::text[]) ORDER BY d.event_id`,
  )
  for (const delivery of pending) await deliver(delivery, services, never)
  await services.db.execute(sql`UPDATE mails SET due_at = now() WHERE leased_until IS NULL`)
  await sendMails({}, services, never)
}

/** Returns a worker for mails that users wait for, which sends by the given mailer. */
export function createMailWorker(db: Database, mailer: Mailer, log = silentLog) {
  const services: JobServices = {
    db,
    mailer,
    log,
    urls: urlsFrom(() => PUBLIC_URL),
    endpoints: createEndpointClient({ allow: [] }),
    files: createTemporaryFileStore(),
    clock: () => new Date(),
    queue: { enqueue: () => Promise.resolve('') },
  }
  return {
    work: () => sendPendingMails(services),
  }
}

/** Returns an inbox that receives all pending account mails. */
export function createInbox(db: () => Database, answer: () => SendResult = () => ({ outcome: 'sent', reply: '250 OK' })) {
  let sent: OutgoingMail[] = []
  const mailer: Mailer = {
    verify: () => Promise.resolve(),
    folder: openMailFolder('no-such-folder'),
    withConnectionSlot: (work) => work(),
    close: () => undefined,
    send(mail) {
      sent.push(mail)
      return Promise.resolve(answer())
    },
  }
  return {
    async receive(): Promise<OutgoingMail[]> {
      sent = []
      await createMailWorker(db(), mailer).work()
      return sent
    },
  }
}

export function readLinkToken({ text }: Pick<OutgoingMail, 'text'>): string {
  const [link = ''] = /http\S+token=\S+/.exec(text) ?? []
  return new URL(link).searchParams.get('token') ?? ''
}
