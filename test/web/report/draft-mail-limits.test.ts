import { describe, expect, it } from 'vitest'

import { sweep } from '../../jobs/sweep.ts'
import { sql } from '../../../src/database/database.ts'
import { createBrowser, formKeyIn } from '../../helpers/browser.ts'
import { queryRows } from '../../helpers/query-rows.ts'
import { useApp } from '../../helpers/use-app.ts'
import { readLinkToken } from '../../notifications/mail-worker.ts'
import { createDraftMails } from './draft-mails.ts'
import { countTimes, createDrafts, EMAIL, PASSWORD } from './drafts.ts'

const app = useApp()
const { visitor, createAda, withDraft, requestMail, open, receive, storedAddresses, oneClick } = createDraftMails(app)
const { report, picture } = createDrafts(app)

/** Tests of limits have clients of their own, because the app counts on between them. */
const [CLIENT, CLIENT_OF_DAY] = ['198.51.100.9', '198.51.100.10'] as const

async function requestFromClient(times: number, address: string = CLIENT) {
  const answers = []
  for (let n = 0; n < times; n++) {
    const browser = await withDraft()
    const client = createBrowser(app.fastify, { address })
    for (const [name, value] of browser.jar) client.jar.set(name, value)
    answers.push(await requestMail(client, `a${n}@example.org`))
  }
  return answers
}

describe('mails with a link to the draft of a report', () => {
  it('is mailed five times an hour to an address in any spelling of its case and with any tag, from any client address, with the same answer', async () => {
    const answers = []
    const spellings = [
      EMAIL,
      EMAIL.toUpperCase(),
      EMAIL.replace('@', '+a@'),
      EMAIL.replace('@', '+b@'),
      EMAIL,
      EMAIL.replace('@', '+c@'),
    ]
    for (const spelling of spellings) answers.push(await requestMail(await withDraft(), spelling))

    expect(new Set(answers.map(({ status, headers }) => `${status} ${headers['location'] as string}`))).toEqual(
      new Set(['303 /report/draft?mail=requested']),
    )
    expect(await receive()).toHaveLength(5)
  })

  it('is not mailed while the report is incomplete', async () => {
    const browser = visitor()
    await report(browser, { address: '', 'answers[issue_image]': await picture() })

    const answer = await requestMail(browser)

    expect(answer.status).toBe(422)
    expect(await receive()).toEqual([])
  })

  it('is mailed five times for a draft', async () => {
    const browser = await withDraft()
    const answers = []
    let mails = 0
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      answers.push(await requestMail(browser, `${name}@example.org`))
      mails += (await receive()).length
    }

    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303, 303, 303, 422])
    expect(answers[5]?.visibleText).toContain('The mail to publish this report was sent several times already')
    expect(mails).toBe(5)
  })

  it('is not mailed to an address that was corrected before the mail was sent', async () => {
    const browser = await withDraft()
    await requestMail(browser, 'wrong@example.org')
    await requestMail(browser, EMAIL)

    expect((await receive()).map(({ to }) => to)).toEqual([EMAIL])
  })

  it('is refused with 429 after 60 mails of a client address within an hour', async () => {
    await countTimes(app.services.draftMails, 58, CLIENT)
    const answers = await requestFromClient(3)

    expect(answers.map(({ status }) => status)).toEqual([303, 303, 429])
    expect(answers[2]?.visibleText).toContain('log in to publish the report')
    expect(await receive()).toHaveLength(2)
  })

  it('is refused with 429 after 300 mails of a client address within a day', async () => {
    for (const times of [60, 60, 60, 60, 59]) {
      await countTimes(app.services.draftMails, times, CLIENT_OF_DAY)
      await app.services.rateLimitStore.delete(`draft-mails:address:${CLIENT_OF_DAY}`)
    }

    expect((await requestFromClient(2, CLIENT_OF_DAY)).map(({ status }) => status)).toEqual([303, 429])
  })

  it('is mailed twenty times a day to an address, with the same answer after that', async () => {
    const answers = []
    for (let n = 0; n < 21; n++) {
      answers.push(await requestMail(await withDraft()))
      if (n % 5 === 4)
        await app.db.execute(
          sql`UPDATE mail_limits SET until = now() - interval '1 second' WHERE until < now() + interval '1 hour 1 minute'`,
        )
    }

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]))
    expect(await receive()).toHaveLength(20)
  })

  it('is mailed once for a form that is sent twice', async () => {
    const browser = await withDraft()
    const form_key = formKeyIn(await browser.get('/report/draft'))

    const answers = [1, 2].map(() => browser.post('/report/draft/mail', { email: EMAIL, form_key }))
    for (const { status } of await Promise.all(answers)) expect([303, 409]).toContain(status)

    expect(await receive()).toHaveLength(1)
    expect(await receive()).toEqual([])
  })

  it('is mailed again with the same Message-ID after a temporary failure', async () => {
    await requestMail(await withDraft())
    const [failed] = await receive(() => ({ outcome: 'deferred', reply: '451 later' }))
    const kept = await storedAddresses()

    const [mail] = await receive()

    expect(kept).toEqual([EMAIL])
    expect(mail?.id).toBe(failed?.id)
    expect((await open(visitor(), readLinkToken(failed ?? { text: '' }))).status).toBe(303)
    expect((await open(visitor(), readLinkToken(mail ?? { text: '' }))).status).toBe(303)
  })

  it('stores the address until the mail is sent or has failed, or until the draft is gone', async () => {
    await requestMail(await withDraft())
    const waiting = await storedAddresses()
    await receive()
    const sent = await storedAddresses()
    await requestMail(await withDraft(), 'b@example.org')
    await receive(() => ({ outcome: 'rejected', reply: '550 no' }))
    const rejected = await storedAddresses()
    await sweep('delete-expired-drafts', { db: app.db, clock: () => new Date(Date.now() + 7.1 * 86_400_000) })

    expect([waiting, sent, rejected]).toEqual([[EMAIL], [null], [null, null]])
    expect(await storedAddresses()).toEqual([])
    expect(await app.db.prisma.reportDraftLink.count()).toBe(0)
  })

  it('is no longer sent once the draft is discarded, and still is if someone else logs in at the browser', async () => {
    const ada = await createAda()
    const [first, second] = [await withDraft(), await withDraft()]
    await requestMail(first)
    await first.post('/report/draft/discard', {})
    expect(await receive()).toEqual([])

    await requestMail(second)
    await second.post('/login', { email: ada.email, password: PASSWORD })
    expect(await receive()).toHaveLength(1)
  })

  it('is stopped for good by one click in a mail program, until its owner takes that back', async () => {
    const other = 'other@example.org'
    await requestMail(await withDraft())
    const [mail] = await receive()
    const [, url = ''] = /<https?:\/\/[^/]+(\S+)>/.exec(mail?.headers?.['List-Unsubscribe'] ?? '') ?? []

    const page = await visitor().get(url)
    const stopped = await oneClick(url)
    await requestMail(await withDraft())
    await requestMail(await withDraft(), other)
    const afterStop = await receive()
    await visitor().post(url, { do: 'undo-draft' })
    await requestMail(await withDraft())
    const afterUndo = await receive()

    expect(page.visibleText).toContain('No more mails about such reports')
    expect(stopped.status).toBe(200)
    expect(afterStop.map(({ to }) => to)).toEqual([other])
    expect(afterUndo.map(({ to }) => to)).toEqual([EMAIL])
  })

  it('leaves other mails of an account as they are', async () => {
    const ada = await createAda()
    await requestMail(await withDraft(), ada.email)
    const [mail] = await receive()
    const [, url = ''] = /<https?:\/\/[^/]+(\S+)>/.exec(mail?.headers?.['List-Unsubscribe'] ?? '') ?? []

    await oneClick(url)

    expect(await queryRows(app.db, sql`SELECT u.issue_mails FROM users u WHERE u.id = ${ada.id}`)).toEqual([{ issue_mails: true }])
    expect(await app.db.prisma.suppressedAddress.count()).toBe(0)
  })

  it.each(['judge@nowhere', 'judge@nowhere.', 'judge'])('go to no address without a full domain: %s', async (email) => {
    const refused = await requestMail(await withDraft(), email)

    expect(refused.status).toBe(422)
    expect(refused.text).toMatch(/id="field-email-error">Must be an e-mail address with a full domain, such as name@example\.org\./)
    expect(await app.db.prisma.mail.count()).toBe(0)
  })

  it('writes no address into events', async () => {
    await requestMail(await withDraft())
    await receive()

    const stored = await queryRows(
      app.db,
      sql`SELECT (SELECT json_agg(e)::text FROM events e) AS events, (SELECT json_agg(d)::text FROM outbox_deliveries d) AS deliveries,
        (SELECT json_agg(l)::text FROM mail_limits l) AS limits`,
    )

    expect(JSON.stringify(stored)).not.toContain(EMAIL)
  })
})
