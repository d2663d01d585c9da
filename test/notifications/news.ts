import type { IssueNotificationEvent } from '../../src/outbox/event-types.ts'
import { deliver } from '../../jobs/handlers/deliver.ts'
import { sendNotifications } from '../../jobs/handlers/send-notifications.ts'
import type { JobServices } from '../../jobs/handlers/services.ts'
import { type Database, sql } from '../../src/database/database.ts'
import { type NewEvent, recordEvent } from '../../src/outbox/queries.ts'
import { urlsFrom } from '../../src/http/request/urls.ts'
import { mailFolderIn } from '../../src/mail/folder.ts'
import type { Mailer, OutgoingMail, SendResult } from '../../src/mail/mailer.ts'
import { PUBLIC_URL } from '../helpers/use-app.ts'
import { givenFiles } from '../jobs/files.ts'
import { silentLog } from '../jobs/log.ts'
import { queryRows } from '../helpers/query-rows.ts'

const never = new AbortController().signal

export type News = Omit<NewEvent, 'type'> & { readonly type: IssueNotificationEvent }

/** What workers would do with news of issues; `mailer` is the outside world. */
export function notifierWith(db: Database, mailer: Mailer, more: Partial<JobServices> = {}) {
  const queued: string[] = []
  const services: JobServices = {
    db,
    mailer,
    log: silentLog,
    urls: urlsFrom(() => PUBLIC_URL),
    files: givenFiles(),
    clock: () => new Date(),
    queue: { enqueue: (name) => Promise.resolve(String(queued.push(name))) },
    ...more,
  }
  return {
    services,
    /** Names of the jobs that were queued. */
    queued,
    /** Writes who is to be told. */
    async tell(news: News): Promise<number> {
      const [pending] = await db.transaction((tx) => recordEvent(tx, news))
      if (!pending) throw new Error(`nothing follows from ${news.type}`)
      await deliver({ event_id: pending.event_id, handler: 'notify-followers' }, services, never)
      return pending.event_id
    },
    /** Sends what is due. */
    send: (stopping = never) => sendNotifications({}, services, stopping),
  }
}

/** A postbox in place of a mail server. */
export function postbox(
  answer: (mail: OutgoingMail) => SendResult | Promise<SendResult> = () => ({ outcome: 'sent', answer: '250 OK' }),
) {
  const sent: OutgoingMail[] = []
  const mailer: Mailer = {
    folder: mailFolderIn('no-such-folder'),
    schedule: (work) => work(),
    close: () => undefined,
    async send(mail) {
      sent.push(mail)
      return answer(mail)
    },
  }
  return { mailer, sent, addresses: () => sent.map(({ to }) => to).sort() }
}

export type DeliveryEnd = {
  readonly address: string
  readonly attempts: number
  readonly end: string
  readonly answer: string | null
}

/** How all deliveries stand, by address. */
export function deliveries(db: Database): Promise<DeliveryEnd[]> {
  return queryRows<DeliveryEnd>(
    db,
    sql`
    SELECT e.email AS address, d.attempts, d.answer,
      CASE WHEN d.sent_at IS NOT NULL THEN 'sent' WHEN d.failed_at IS NOT NULL THEN 'failed'
        WHEN d.leased_until IS NOT NULL THEN 'leased' WHEN d.due_at > now() THEN 'later' ELSE 'due' END AS end
    FROM mail_deliveries d JOIN emails e ON e.id = d.email_id ORDER BY e.email, d.event_id`,
  )
}

/** As if the time had come for what waits, and leases had ended. */
export const makeDue = (db: Database) =>
  queryRows(
    db,
    sql`UPDATE mail_deliveries d SET due_at = now() - interval '1 minute', leased_until = NULL WHERE d.due_at > now() RETURNING d.email_id`,
  )
