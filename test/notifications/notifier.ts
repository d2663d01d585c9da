import type { IssueNotificationEventType } from '../../src/outbox/event-types.ts'
import { deliver } from '../../jobs/handlers/deliver.ts'
import { sendMails } from '../../jobs/handlers/send-mails.ts'
import type { JobServices } from '../../jobs/handlers/services.ts'
import { type Database, sql } from '../../src/database/database.ts'
import { type NewEvent, recordEvent } from '../../src/outbox/queries.ts'
import { createEndpointClient } from '../../src/georeport/endpoint-client.ts'
import { urlsFrom } from '../../src/http/request/urls.ts'
import { openMailFolder } from '../../src/mail/folder.ts'
import type { Mailer, OutgoingMail, SendResult } from '../../src/mail/mailer.ts'
import { PUBLIC_URL } from '../helpers/use-app.ts'
import { createTemporaryFileStore } from '../jobs/files.ts'
import { silentLog } from '../jobs/log.ts'
import { queryRows } from '../helpers/query-rows.ts'

const never = new AbortController().signal

export type NotificationInput = Omit<NewEvent, 'type'> & { readonly type: IssueNotificationEventType }

/** Returns a worker for notifications about issues that sends by the given mailer. */
export function createNotifier(db: Database, mailer: Mailer, more: Partial<JobServices> = {}) {
  const queued: string[] = []
  const services: JobServices = {
    db,
    mailer,
    log: silentLog,
    urls: urlsFrom(() => PUBLIC_URL),
    endpoints: createEndpointClient({ allow: [] }),
    files: createTemporaryFileStore(),
    clock: () => new Date(),
    queue: { enqueue: (name) => Promise.resolve(String(queued.push(name))) },
    ...more,
  }
  return {
    services,
    queued,
    /** Records the event and writes its mails. */
    async writeMails(event: NotificationInput): Promise<number> {
      const [pending] = await db.transaction(async (tx) => {
        await recordEvent(tx, event)
        return tx.deliveries
      })
      if (!pending) throw new Error(`nothing follows from ${event.type}`)
      await deliver({ event_id: pending.event_id, handler: 'notify' }, services, never)
      return pending.event_id
    },
    send: (stopping = never) => sendMails({}, services, stopping),
  }
}

export function createMailbox(
  answer: (mail: OutgoingMail) => SendResult | Promise<SendResult> = () => ({ outcome: 'sent', reply: '250 OK' }),
) {
  const sent: OutgoingMail[] = []
  const mailer: Mailer = {
    verify: () => Promise.resolve(),
    folder: openMailFolder('no-such-folder'),
    withConnectionSlot: (work) => work(),
    close: () => undefined,
    async send(mail) {
      sent.push(mail)
      return answer(mail)
    },
  }
  return { mailer, sent, addresses: () => sent.map(({ to }) => to).sort() }
}

export type StoredMail = {
  readonly address: string
  readonly attempts: number
  readonly end: string
  readonly reply: string | null
}

export function listStoredMails(db: Database): Promise<StoredMail[]> {
  return queryRows<StoredMail>(
    db,
    sql`
    SELECT e.email AS address, d.attempts, d.reply,
      CASE WHEN d.sent_at IS NOT NULL THEN 'sent' WHEN d.failed_at IS NOT NULL THEN 'failed'
        WHEN d.leased_until IS NOT NULL THEN 'leased' WHEN d.due_at > now() THEN 'later' ELSE 'due' END AS end
    FROM mails d JOIN email_addresses e ON e.id = d.email_address_id ORDER BY e.email, d.event_id`,
  )
}

/** Makes waiting mails due and ends their leases. */
export const makeDue = (db: Database) =>
  queryRows(
    db,
    sql`UPDATE mails d SET due_at = now() - interval '1 minute', leased_until = NULL WHERE d.due_at > now() RETURNING d.email_address_id`,
  )
