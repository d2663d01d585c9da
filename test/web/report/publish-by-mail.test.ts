import { describe, expect, it } from 'vitest'

import { formKeyIn } from '../../helpers/browser.ts'
import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { useApp } from '../../helpers/use-app.ts'
import { createInbox, readLinkToken } from '../../notifications/mail-worker.ts'
import { createDraftMails } from './draft-mails.ts'
import { createDrafts, EMAIL } from './drafts.ts'
import { createPublishing, NEW_ACCOUNT, PUBLISHED } from './publishing.ts'

const app = useApp()
const inbox = createInbox(() => app.db)
const { visitor, withDraft, requestMail, openLink, open, receive, tokenOfMail } = createDraftMails(app)
const { report } = createDrafts(app)

const { hidden, publish, issues, passMinutes } = createPublishing(app)

describe('a report by e-mail alone', () => {
  it('is published once by the button behind the link, on another device, by an account without a password', async () => {
    const token = await tokenOfMail(await withDraft())
    const phone = visitor()

    const page = await openLink(phone, token)
    const done = await publish(phone, token)
    const again = await publish(visitor(), token)

    expect(page.visibleText).toContain('The button publishes it')
    expect(page.visibleText).toContain('Deep pothole')
    expect(done.visibleText).toContain('Your report is published.')
    expect(done.text).toContain('href="/issues/1"')
    expect(done.headers['set-cookie']).toBeUndefined()
    expect([again.status, again.text]).toEqual([200, done.text])
    expect(await issues()).toEqual([{ ...PUBLISHED, ...NEW_ACCOUNT }])
  })

  it('says to another account that it becomes a report of the account with the address', async () => {
    const [owner, other] = [await app.create.user({ name: 'Ada Park' }), await app.create.user({ name: 'Bo Lind' })]
    await app.db.prisma.emailAddress.create({ data: { user_id: owner.id, email: 'Ada@example.org', confirmed_at: new Date() } })
    const token = await tokenOfMail(await withDraft())

    const [own, others] = await Promise.all(
      [owner, other].map(async (user) => (await openLink(await createLoggedInBrowser(app, user), token)).visibleText),
    )

    expect(others).toContain(`You are logged in as Bo Lind. The report goes to the account of ${EMAIL} all the same`)
    expect(own).not.toContain('You are logged in as')
  })

  it('offers a password once, with which the account then logs in', async () => {
    const token = await tokenOfMail(await withDraft())
    const browser = visitor()
    const done = await publish(browser, token)
    const setPassword = (password: string) => browser.post('/report/draft/open/password', { token, password })

    const before = await browser.post('/login', { email: EMAIL, password: 'battery staple' })
    const byApi = await app.as.anonymous.send('GET', '/api/v2/profile', {
      headers: { authorization: `Basic ${btoa(`${EMAIL}:any password`)}`, 'user-agent': 'test' },
    })
    const short = await setPassword('short')
    const set = await setPassword('battery staple')
    const again = await setPassword('another password')
    const wrong = await visitor().post('/login', { email: EMAIL, password: 'another password' })
    const after = await browser.post('/login', { email: EMAIL, password: 'battery staple' })

    expect(done.visibleText).toContain('Do you want a password?')
    expect(byApi.status).toBe(401)
    expect([before.status, short.status, wrong.status, after.status]).toEqual([422, 422, 422, 303])
    expect(short.text).toContain('id="field-password-error"')
    expect(set.visibleText).toContain('Your password is set.')
    expect(again.visibleText).not.toContain('password is set')
  })

  it('offers a password for an hour, and later by the page for forgotten passwords', async () => {
    const token = await tokenOfMail(await withDraft())
    await publish(visitor(), token)
    await passMinutes(61)

    const late = await openLink(visitor(), token)
    const refused = await visitor().post('/report/draft/open/password', { token, password: 'password of Mallory' })
    await visitor().post('/password/forgot', { email: EMAIL })
    const mail = (await inbox.receive()).find(({ subject }) => subject === 'Reset your password')
    const reset = { token: readLinkToken(mail ?? { text: '' }), password: 'battery staple' }
    const set = await visitor().post('/password/reset', reset)
    const logins = ['password of Mallory', 'battery staple'].map((password) => visitor().post('/login', { email: EMAIL, password }))

    expect(late.visibleText).toContain('Your report is published.')
    expect(late.visibleText).not.toContain('Do you want a password?')
    expect([refused.status, set.status]).toEqual([200, 200])
    expect((await Promise.all(logins)).map(({ status }) => status)).toEqual([422, 303])
  })

  it('is good for seven days from its mail, and keeps its draft as long', async () => {
    const browser = await withDraft()
    await app.db.prisma.reportDraft.updateMany({ data: { expires_at: new Date(Date.now() + 86_400_000) } })
    const token = await tokenOfMail(browser)
    const { expires_at } = await app.db.prisma.reportDraft.findFirstOrThrow()
    await app.db.prisma.reportDraftLink.updateMany({ data: { expires_at: new Date(Date.now() - 1_000) } })

    const expired = await openLink(visitor(), token)

    expect(expires_at.getTime() - Date.now()).toBeGreaterThan(6.9 * 86_400_000)
    expect([expired.status, expired.visibleText]).toEqual([422, expect.stringContaining('This link no longer works')])
    expect((await open(visitor(), token)).status).toBe(422)
  })

  it('names the address of the mail on its page, also after a reload, until it is corrected', async () => {
    const browser = await withDraft()
    await requestMail(browser, 'wrong@example.org')
    const reloaded = await browser.get('/report/draft')
    await requestMail(browser)
    const corrected = await browser.get('/report/draft')

    expect(reloaded.visibleText).toContain('Look into your mail We send your report to wrong@example.org .')
    expect(corrected.visibleText).toContain(`We send your report to ${EMAIL} .`)
    expect(corrected.text).not.toContain('wrong@example.org')
  })

  it('makes one report and one account of ten clicks at once', async () => {
    const token = await tokenOfMail(await withDraft())
    const version = hidden((await openLink(visitor(), token)).text, 'version')

    const clicks = Array.from({ length: 10 }, () => visitor().post('/report/draft/open/publish', { token, version }))
    const answers = await Promise.all(clicks)

    expect(answers.map(({ headers }) => headers['location'])).toEqual(Array(10).fill(`/report/draft/open?token=${token}`))
    expect(await issues()).toEqual([{ ...PUBLISHED, ...NEW_ACCOUNT }])
  })

  it('leads a double click to the same page, and stores its token nowhere', async () => {
    const token = await tokenOfMail(await withDraft())
    const browser = visitor()
    const page = await openLink(browser, token)
    const fields = { token, version: hidden(page.text, 'version'), form_key: 'a'.repeat(43) }

    const first = await browser.post('/report/draft/open/publish', fields)
    const second = await browser.post('/report/draft/open/publish', fields)

    expect([first, second].map(({ headers }) => headers['location'])).toEqual(Array(2).fill(`/report/draft/open?token=${token}`))
    expect(await app.db.prisma.idempotencyKey.count()).toBe(0)
  })

  it('cannot be published by the browser that wrote it, nor without the button', async () => {
    const browser = await withDraft()
    const token = await tokenOfMail(browser)

    const own = await browser.post('/report/draft/open/publish', { token: '', version: '', form_key: '' })
    const publishing = await browser.post('/report/draft/publish', {})
    await openLink(visitor(), token)

    expect([own.status, publishing.headers['location']]).toEqual([422, '/login?return_to=%2Freport%2Fdraft'])
    expect(await issues()).toEqual([])
  })

  it('is shown again, and not published, if it was changed after its reader looked at it', async () => {
    const browser = await withDraft()
    const token = await tokenOfMail(browser)
    const version = hidden((await openLink(visitor(), token)).text, 'version')
    await report(browser, { 'answers[summary]': 'Something else' })

    const refused = await publish(visitor(), token, { version })

    expect(refused.status).toBe(409)
    expect(refused.visibleText).toContain('The report was changed in the meantime.')
    expect(refused.visibleText).toContain('Something else')
    expect(await issues()).toEqual([])
  })

  it('can be changed first on the device that opens the link, and published there without another mail', async () => {
    const token = await tokenOfMail(await withDraft())
    const phone = visitor()
    await open(phone, token)
    await report(phone, { 'answers[summary]': 'Deeper pothole' })

    const draft = await phone.get('/report/draft')
    const fields = { token: hidden(draft.text, 'token'), version: hidden(draft.text, 'version'), form_key: formKeyIn(draft) }
    const done = await phone.post('/report/draft/open/publish', fields)

    expect(fields.token).toBe('')
    expect(done.headers['location']).toBe('/report/draft')
    expect(await issues()).toEqual([{ ...PUBLISHED, ...NEW_ACCOUNT, summary: 'Deeper pothole' }])
  })

  it('lets only the link of its mail set a password, and no secret of a browser that has opened the link', async () => {
    const token = await tokenOfMail(await withDraft())
    const shared = visitor()
    await open(shared, token)
    const secret = shared.jar.get('fixpoint_draft') ?? ''
    const { text } = await shared.get('/report/draft')
    await shared.post('/report/draft/open/publish', { token: '', version: hidden(text, 'version') })

    const done = await shared.get('/report/draft')
    const stolen = await visitor().post('/report/draft/open/password', { token: secret, password: 'password of Mallory' })
    const byMail = await openLink(visitor(), token)

    expect(secret).not.toBe(token)
    expect(done.text).toContain('href="/password/forgot"')
    for (const page of [done, stolen]) expect(page.text).not.toContain('type="password"')
    expect(byMail.text).toContain('type="password"')
    expect(await issues()).toMatchObject([{ has_no_password: true }])
  })

  it('is no longer opened or published by a link to an address that was corrected', async () => {
    const browser = await withDraft()
    await requestMail(browser, 'wrong@example.org')
    const [mail] = await receive()
    const wrong = readLinkToken(mail ?? { text: '' })
    const opened = visitor()
    const { text } = await openLink(opened, wrong)
    await opened.post('/report/draft/open', { token: wrong })
    const right = await tokenOfMail(browser)

    const ended = await openLink(visitor(), wrong)
    const published = await opened.post('/report/draft/open/publish', { token: wrong, version: hidden(text, 'version') })
    const before = await issues()
    await publish(visitor(), right)
    const after = await openLink(visitor(), wrong)

    for (const page of [ended, published, after])
      expect([page.status, page.visibleText]).toEqual([422, expect.stringContaining('it was sent to another address since')])
    expect((await opened.get('/report/draft')).status).toBe(404)
    expect(before).toEqual([])
    expect(await issues()).toHaveLength(1)
  })

  it('is shown as published by every secret and link of its draft, and by no other', async () => {
    const browser = await withDraft()
    const [first, second] = [await tokenOfMail(browser), await tokenOfMail(browser)]
    await publish(visitor(), second)

    const pages = await Promise.all([browser.get('/report/draft'), openLink(visitor(), first)])
    const stranger = await visitor().get('/report/draft')

    for (const { status, visibleText, text } of pages) {
      expect([status, visibleText]).toEqual([200, expect.stringContaining('Your report is published.')])
      expect(text).toMatch(/<a [^>]*href="\/issues\/1">Look at report #1<\/a>/)
    }
    expect(pages.map(({ text }) => text.includes('type="password"'))).toEqual([false, true])
    expect(stranger.status).toBe(404)
  })

  it('waits for a moderator if its text needs a review, which its mail does not quote', async () => {
    const browser = await withDraft(undefined, 'Buy at https://shop.example')
    await requestMail(browser)
    const [mail] = await receive()

    const done = await publish(visitor(), readLinkToken(mail ?? { text: '' }))

    expect(`${mail?.text}${mail?.html}`).not.toContain('shop.example')
    expect(done.visibleText).toContain('Moderators look at it before it is public. Your report has the number 1.')
    expect(await issues()).toMatchObject([{ moderation_state: 'held' }])
  })
})
