import { deliver } from '../../jobs/handlers/deliver.ts'
import type { JobServices } from '../../jobs/handlers/services.ts'
import { sql, type Database } from '../../src/database/database.ts'
import { createEndpointClient } from '../../src/georeport/endpoint-client.ts'
import { urlsFrom } from '../../src/http/request/urls.ts'
import { openMailFolder } from '../../src/mail/folder.ts'
import type { Mailer, OutgoingMail, SendResult } from '../../src/mail/mailer.ts'
import { PUBLIC_URL } from '../helpers/use-app.ts'
import { createFileStore } from '../jobs/files.ts'
import { silentLog } from '../jobs/log.ts'
import { queryRows } from '../helpers/query-rows.ts'

const never = new AbortController().signal

/** Returns a worker for account mails that sends by the given mailer. */
export function createMailWorker(db: Database, mailer: Mailer, log = silentLog) {
  const services: JobServices = {
    db,
    mailer,
    log,
    urls: urlsFrom(() => PUBLIC_URL),
    endpoints: createEndpointClient({ allow: [] }),
    files: createFileStore(),
    clock: () => new Date(),
    queue: { enqueue: () => Promise.resolve('') },
  }
  return {
    async work(): Promise<void> {
      const pending = await queryRows<{ event_id: number; handler: string }>(
        db,
        sql`
        SELECT e.event_id, e.handler FROM outbox_deliveries e
        WHERE e.delivered_at IS NULL AND e.handler = 'send-account-mails' ORDER BY e.event_id`,
      )
      for (const delivery of pending) await deliver(delivery, services, never)
    },
  }
}

/** Returns an inbox that receives all pending account mails. */
export function createInbox(db: () => Database, answer: () => SendResult = () => ({ outcome: 'sent', reply: '250 OK' })) {
  let sent: OutgoingMail[] = []
  const mailer: Mailer = {
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
