import { describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { formKeyIn } from '../../helpers/browser.ts'
import { queryRows } from '../../helpers/query-rows.ts'
import { useApp } from '../../helpers/use-app.ts'
import { readLinkToken } from '../../notifications/mail-worker.ts'
import { createDraftMails } from './draft-mails.ts'
import { EMAIL, PASSWORD } from './drafts.ts'

const app = useApp()
const { visitor, createAda, withDraft, requestMail, openLink, open, receive, tokenOfMail } = createDraftMails(app)

describe('a link by mail to the draft of a report', () => {
  it('opens the draft on another device, where its author changes it, registers and publishes it', async () => {
    const phone = await withDraft()
    const page = await phone.get('/report/draft')

    const requested = await requestMail(phone)
    const done = await phone.get(requested.headers['location'] as string)
    const [mail] = await receive()
    const desk = visitor()
    const token = readLinkToken(mail ?? { text: '' })
    const link = await openLink(desk, token)
    const opened = await open(desk, token)
    const draft = await desk.get('/report/draft')
    await desk.post('/register', {
      ...{ name: 'Ada Park', email: EMAIL, password: PASSWORD, password_confirmation: PASSWORD, accept_terms: 'true' },
    })
    const published = await desk.post('/report/draft/publish', { form_key: formKeyIn(await desk.get('/report/draft')) })

    expect(page.visibleText).toContain('Your e-mail address')
    expect([requested.status, requested.headers['location']]).toEqual([303, '/report/draft?mail=requested'])
    expect(done.visibleText).toContain('We send your report to ada@example.org . Press the button in the mail')
    // A login no longer takes a report that waits in a mail.
    expect(done.visibleText).not.toMatch(/Log in and publish|goes to their account/)
    expect(done.visibleText).toContain('If you discard it, the button in the mail no longer works.')
    expect(link.visibleText).toContain('If another report is saved here, this one replaces it.')
    expect(link.text).toContain('<form method="post" action="/report/draft/open">')
    expect([opened.status, opened.headers['location']]).toEqual([303, '/report/draft'])
    expect(draft.visibleText).toContain('Deep pothole')
    expect(draft.headers['cache-control']).toBe('private, no-store')
    expect(draft.text).not.toContain(token)
    expect(published.headers['location']).toBe('/issues/1?reported=now')
    expect((await phone.get('/report/draft')).visibleText).toContain('Your report is published.')
  })

  it('comes in a mail that shows the report, and which mail programs can unsubscribe from', async () => {
    await requestMail(await withDraft())

    const [mail] = await receive()

    const { id, to, subject, text, html, headers } = mail ?? { id: '', to: '', subject: '', text: '', html: '' }
    expect(id).toMatch(/^[\da-f-]{36}$/)
    expect([to, subject]).toEqual([EMAIL, 'Publish your report'])
    for (const body of [text, html]) {
      expect(body).toMatch(/Deep pothole\n>? ?1 Elm Street/)
      expect(body).toMatch(/\/report\/draft\/open\?token=[\w-]{43}/)
    }
    expect(html.match(/<a class="button"/g)).toHaveLength(1)
    expect(headers).toEqual({
      'List-Id': expect.stringMatching(/^Fixpoint drafts <drafts\./) as unknown,
      'List-Unsubscribe': expect.stringMatching(/^<https?:\/\/\S+\/unsubscribe\?token=d\.en\.[\w-]{16}\.[\w-]{16}>$/) as unknown,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    })
  })

  it('says how it is stopped, and leaves no room for the advertising of strangers', async () => {
    await requestMail(await withDraft(undefined, `Lantern ${'is out '.repeat(30)}`))
    await requestMail(await withDraft(undefined, 'Write to seller@shop.example'), 'other@example.org')

    const [long, advertising] = await receive()

    expect(long?.text).toContain('Someone, probably you, gave this address')
    expect(long?.text.replaceAll('\n', ' ')).toContain('The last link of this mail stops such mails to you for good.')
    expect(/Lantern[^…]*…/.exec(long?.html ?? '')?.[0].length).toBeLessThanOrEqual(200)
    expect(`${advertising?.text}${advertising?.html}`).not.toContain('seller')
  })

  it('is requested with the same answers, whether the address has an account or not', async () => {
    const { email: known } = await createAda()
    const answers = []
    for (const email of [known, 'unknown@example.org']) {
      const browser = await withDraft()
      const { status, headers } = await requestMail(browser, email)
      const page = await browser.get('/report/draft?mail=requested')
      const text = page.text.replaceAll(/value="[\w-]{43}"|<time.*?<\/time>/g, '').replaceAll(email, '')
      answers.push({ status, location: headers['location'], text })
    }

    const mails = await receive()

    expect(answers[0]).toEqual(answers[1])
    expect(mails.map(({ to }) => to)).toEqual([known, 'unknown@example.org'])
    // Only the owner of the address reads the name of the account.
    const texts = mails.map(({ text }) => text.replaceAll(/token=\S+/g, '').replace(/It will appear under: [^]*?\n\n/, ''))
    expect(texts[0]).toBe(texts[1])
  })

  it('changes nothing when it is opened, as mail scanners do', async () => {
    await createAda()
    const token = await tokenOfMail(await withDraft())
    const everything = () =>
      queryRows(
        app.db,
        sql`SELECT (SELECT json_agg(d) FROM report_drafts d) AS drafts, (SELECT json_agg(l) FROM report_draft_links l) AS links,
          (SELECT count(*) FROM issues) AS issues, (SELECT count(*) FROM events) AS events, (SELECT json_agg(t) FROM tokens t) AS tokens`,
      )
    const before = await everything()

    await app.as.anonymous.send('HEAD', `/report/draft/open?token=${token}`)
    const scanner = visitor()
    for (let n = 0; n < 3; n++) expect((await openLink(scanner, token)).status).toBe(200)

    expect(await everything()).toEqual(before)
    expect((await scanner.get('/report/draft')).status).toBe(404)
  })

  it('logs in no account', async () => {
    await createAda()
    const desk = visitor()
    await open(desk, await tokenOfMail(await withDraft()))

    const published = await desk.post('/report/draft/publish', {})

    expect(published.headers['location']).toBe('/login?return_to=%2Freport%2Fdraft')
  })

  it.each([{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'none' }])(
    'leaves the draft of the visitor and the cookies alone until the button is pressed: %o',
    async (headers) => {
      const { email } = await createAda()
      const token = await tokenOfMail(await withDraft())
      const browser = await withDraft(undefined, 'Own words')

      const link = await browser.get(`/report/draft/open?token=${token}`, headers)
      const own = await browser.get('/report/draft')
      await browser.post('/login', { email, password: PASSWORD })
      const claimed = await browser.get('/report/draft')

      expect(link.status).toBe(200)
      expect(link.headers['set-cookie']).toBeUndefined()
      for (const page of [own, claimed]) {
        expect(page.visibleText).toContain('Own words')
        expect(page.visibleText).not.toContain('Deep pothole')
      }
    },
  )

  it.each([{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://elsewhere.example' }, { origin: 'null' }])(
    'is not opened by a form of another site: %o',
    async (headers) => {
      const token = await tokenOfMail(await withDraft())
      const browser = await withDraft(undefined, 'Own words')

      const refused = await browser.post('/report/draft/open', { token }, headers)

      expect(refused.status).toBe(403)
      expect(refused.headers['set-cookie']).toBeUndefined()
      expect((await browser.get('/report/draft')).visibleText).toContain('Own words')
    },
  )

  it('opens the draft in a browser until the next logout, and in others for seven days', async () => {
    const { email } = await createAda()
    const desk = visitor()
    await desk.post('/login', { email, password: PASSWORD })
    const token = await tokenOfMail(await withDraft())
    const opened = await open(desk, token)

    await desk.post('/logout', {})

    expect(opened.headers['set-cookie']).toMatch(/Max-Age=86400;/)
    expect((await desk.get('/report/draft')).status).toBe(404)
    expect((await openLink(visitor(), token)).status).toBe(200)
  })

  it('is shown on a page that is not stored and sends its address to no other page', async () => {
    const token = await tokenOfMail(await withDraft())

    const { headers, text } = await openLink(visitor(), token)

    expect(headers['cache-control']).toBe('private, no-store')
    // Browsers send the origin of the form with this policy, and nothing else of the address.
    expect(headers['referrer-policy']).toBe('strict-origin')
    expect(text).not.toContain(`token=${token}`)
    expect(text).toContain('Deep pothole')
  })

  it('is opened before the draft of the account that is logged in', async () => {
    const { email } = await createAda()
    const browser = visitor()
    const token = await tokenOfMail(await withDraft())
    await browser.post('/login', { email, password: PASSWORD })
    const phone = await withDraft(undefined, 'Newer draft')
    await phone.post('/login', { email, password: PASSWORD })

    await open(browser, token)

    expect((await browser.get('/report/draft')).visibleText).toContain('Deep pothole')
  })

  it.each(['/login', '/register'])(
    'works when someone else uses the browser of the draft for %s, who does not see it',
    async (path) => {
      const { email } = await createAda()
      const phone = await withDraft()
      const token = await tokenOfMail(phone)
      const newcomer = { name: 'Bo Lind', email: 'bo@example.org', password_confirmation: PASSWORD, accept_terms: 'true' }

      await phone.post(path, { ...(path === '/login' ? { email } : newcomer), password: PASSWORD })
      const link = await openLink(visitor(), token)

      expect((await phone.get('/account')).status).toBe(200)
      expect((await phone.get('/report/draft')).status).toBe(404)
      expect([link.status, link.visibleText]).toEqual([200, expect.stringContaining('Deep pothole')])
    },
  )

  it('works when its author logs in with the address in the browser of the draft, and finds it there', async () => {
    const { email } = await createAda()
    const phone = await withDraft()
    await requestMail(phone, email.toUpperCase())
    const [mail] = await receive()

    const { headers } = await phone.post('/login', { email, password: PASSWORD, return_to: '/' })
    const link = await openLink(visitor(), readLinkToken(mail ?? { text: '' }))

    expect(headers['location']).toBe('/report/draft')
    for (const page of [await phone.get('/report/draft'), link]) expect(page.visibleText).toContain('Deep pothole')
  })

  it('leads to the issue that its author published by a login with another address', async () => {
    const { email } = await createAda()
    const phone = await withDraft()
    const token = await tokenOfMail(phone)

    const { headers } = await phone.post('/login', { email, password: PASSWORD, return_to: '/report/draft?publish=login' })
    const link = await openLink(visitor(), token)

    expect(headers['location']).toBe('/issues/1?reported=now')
    expect([link.status, link.visibleText]).toEqual([200, expect.stringContaining('Your report is published.')])
  })

  it.each(['', 'x', 'a\0b', '%00', '-'.repeat(43), 'x'.repeat(5_000)])(
    'is refused for a token that no mail has: case %#',
    async (token) => {
      await tokenOfMail(await withDraft())

      for (const refused of [await openLink(visitor(), encodeURIComponent(token)), await open(visitor(), token)]) {
        expect(refused.status).toBe(422)
        expect(refused.headers['set-cookie']).toBeUndefined()
        expect(refused.text).not.toContain('Deep pothole')
      }
    },
  )

  it.each([
    '',
    'x',
    'a@b@c.org',
    `${'x'.repeat(100_000)}@example.org`,
    'a@example.org, b@example.org',
    'a@example.org\nBcc: b@example.org',
  ])('is refused for an address that is none: case %#', async (email) => {
    const browser = await withDraft()

    const refused = await requestMail(browser, email)

    expect(refused.status).toBe(422)
    expect(refused.text).toContain('aria-invalid="true"')
    expect(refused.visibleText).toContain('Deep pothole')
    expect(await receive()).toEqual([])
  })

  it('is refused for an address with U+0000, which PostgreSQL cannot store', async () => {
    const refused = await requestMail(await withDraft(), 'a\0@example.org')

    expect(refused.status).toBe(422)
    expect(refused.visibleText).toContain('E-mail address: must not contain an invisible control character')
  })

  it('is only requested for a draft that the browser may read', async () => {
    await withDraft()

    expect((await requestMail(visitor())).status).toBe(404)
    expect(await receive()).toEqual([])
  })
})
