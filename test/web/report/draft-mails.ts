import type { JobServices } from '../../../jobs/handlers/services.ts'
import { urlsFrom } from '../../../src/http/request/urls.ts'
import type { OutgoingMail, SendResult } from '../../../src/mail/mailer.ts'
import type { Browser } from '../../helpers/browser.ts'
import { PUBLIC_URL, type TestApp } from '../../helpers/use-app.ts'
import { createTemporaryFileStore } from '../../jobs/files.ts'
import { silentLog } from '../../jobs/log.ts'
import { readLinkToken, sendPendingMails } from '../../notifications/mail-worker.ts'
import { createMailbox } from '../../notifications/notifier.ts'
import { createDrafts, EMAIL } from './drafts.ts'

/** Returns visitors with drafts, and the inbox of the mails about them. */
export function createDraftMails(app: TestApp) {
  const { visitor, createAda, report } = createDrafts(app)
  async function withDraft(address?: string, summary = 'Deep pothole'): Promise<Browser> {
    const browser = visitor(address)
    await report(browser, { 'answers[summary]': summary })
    return browser
  }
  const requestMail = (browser: Browser, email = EMAIL) => browser.post('/report/draft/mail', { email })
  const openLink = (browser: Browser, token: string) => browser.get(`/report/draft/open?token=${token}`)
  const open = (browser: Browser, token: string) => browser.post('/report/draft/open', { token })

  /** Runs the deliveries of mails about drafts and returns what was sent. */
  async function receive(answer?: () => SendResult): Promise<OutgoingMail[]> {
    const { mailer, sent } = createMailbox(answer)
    const services: JobServices = {
      ...{ db: app.db, mailer, log: silentLog, files: createTemporaryFileStore() },
      urls: urlsFrom(() => PUBLIC_URL),
      endpoints: app.services.endpoints,
      clock: () => new Date(),
      queue: { enqueue: () => Promise.resolve('') },
    }
    await sendPendingMails(services)
    return sent
  }
  const storedAddresses = async () =>
    (await app.db.prisma.mail.findMany({ where: { kind: 'draft' }, orderBy: { event_id: 'asc' } })).map(({ email }) => email)
  async function tokenOfMail(browser: Browser): Promise<string> {
    await requestMail(browser)
    const [mail] = await receive()
    return readLinkToken(mail ?? { text: '' })
  }
  const oneClick = (url: string) =>
    app.as.anonymous.send('POST', url, {
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': '' },
      body: 'List-Unsubscribe=One-Click',
    })
  return { visitor, createAda, withDraft, requestMail, openLink, open, receive, storedAddresses, tokenOfMail, oneClick }
}
