import { expect, it } from 'vitest'

import { deliver } from '../../../jobs/handlers/deliver.ts'
import { sql } from '../../../src/database/database.ts'
import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { queryRows } from '../../helpers/query-rows.ts'
import { PUBLIC_URL, useApp } from '../../helpers/use-app.ts'
import { createModerationScenario } from '../../moderation/scenario.ts'
import { createMailbox, createNotifier } from '../../notifications/notifier.ts'
import { createDraftMails } from './draft-mails.ts'
import { EMAIL } from './drafts.ts'
import { createPublishing } from './publishing.ts'

const app = useApp()
const { visitor, withDraft, tokenOfMail, openLink } = createDraftMails(app)
const { publish, passMinutes } = createPublishing(app)
const { moderator, findOpenItem, approve, reject, createPendingReport } = createModerationScenario(app)

/** Publishes a report by e-mail alone whose text needs a review. Returns its reporter's first page. */
async function holdReport() {
  const browser = visitor()
  const token = await tokenOfMail(await withDraft(undefined, 'Buy at https://shop.example'))
  return { browser, token, page: await publish(browser, token) }
}

async function mailsOfDecision() {
  const { mailer, sent } = createMailbox()
  const { services, send } = createNotifier(app.db, mailer)
  const pending = await queryRows<{ event_id: number }>(
    app.db,
    sql`SELECT d.event_id FROM outbox_deliveries d JOIN events e ON e.id = d.event_id
      WHERE d.handler = 'notify' AND d.delivered_at IS NULL AND e.type IN ('issue.reported', 'issue.rejected') ORDER BY d.event_id`,
  )
  for (const { event_id } of pending) await deliver({ event_id, handler: 'notify' }, services, new AbortController().signal)
  await send()
  return sent.map(({ to, subject, text }) => ({ to, subject, text: text.replaceAll(/\s+/g, ' ') }))
}

it('the reporter of a held report by e-mail alone gets one mail with its number and page when it is approved', async () => {
  const { page } = await holdReport()

  await approve(await moderator(), await findOpenItem('issue', 1))

  expect(page.visibleText).toContain('You get a mail when something happens with it.')
  expect(await mailsOfDecision()).toEqual([
    {
      to: EMAIL,
      subject: 'Your report is published: Buy at https://shop.example (#1)',
      text: expect.stringContaining(`${PUBLIC_URL}/issues/1 `) as string,
    },
  ])
})

it('the reporter of a held report gets the decision also without mails about issues, because it answers the report', async () => {
  await holdReport()
  await app.db.prisma.user.updateMany({ data: { issue_mails: false } })

  await approve(await moderator(), await findOpenItem('issue', 1))

  expect((await mailsOfDecision()).map(({ subject }) => subject)).toEqual([
    'Your report is published: Buy at https://shop.example (#1)',
  ])
})

it('the link of a held report sets a password for an hour from its publication, and not again after its approval', async () => {
  const { token, page } = await holdReport()
  await passMinutes(61)
  await approve(await moderator(), await findOpenItem('issue', 1))

  const approved = await openLink(visitor(), token)

  expect(page.text).toContain('type="password"')
  expect(approved.visibleText).toContain('Your report is published.')
  expect(approved.text).not.toContain('type="password"')
})

it('the page of a report that is not public says so and has no status', async () => {
  const ben = await app.create.user({ name: 'Ben', password_hash: 'a hash' })
  const report = await createPendingReport(ben)
  const browser = await createLoggedInBrowser(app, ben)

  const held = await browser.get(`/issues/${report}`)
  await reject(await moderator(), await findOpenItem('issue', report))
  const rejected = await browser.get(`/issues/${report}`)

  expect(held.visibleText).toContain('Not public: a moderator looks at it first')
  expect(rejected.visibleText).toContain('Not published')
  for (const { text } of [held, rejected]) expect(text).not.toContain('class="status open"')
})

it('the mail about a rejected report has no status and no link to its page, if its reporter has no password to see it', async () => {
  const { browser } = await holdReport()

  await reject(await moderator(), await findOpenItem('issue', 1), 'No advertising.')

  const [mail] = await mailsOfDecision()
  expect([mail?.to, mail?.subject]).toEqual([EMAIL, 'Your report was not published: Buy at https://shop.example (#1)'])
  expect(mail?.text).toContain('decided not to publish it. The moderator says: No advertising.')
  expect(mail?.text).not.toMatch(/see it on its page|\/issues\/1|Status:/)
  expect((await browser.get('/issues/1')).status).toBe(404)
})

it('the mail about a rejected report of an account with a password links to its page', async () => {
  const ben = await app.create.user({ name: 'Ben', password_hash: 'a hash' })
  const report = await createPendingReport(ben)

  await reject(await moderator(), await findOpenItem('issue', report))

  const [mail] = await mailsOfDecision()
  expect(mail?.text).toContain('You can still see it on its page.')
  expect(mail?.text).toContain(`${PUBLIC_URL}/issues/${report} `)
})
