import { beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import type { Browser } from '../../helpers/browser.ts'
import { queryRows } from '../../helpers/query-rows.ts'
import { useApp } from '../../helpers/use-app.ts'
import { createInbox, readLinkToken } from '../../notifications/mail-worker.ts'
import { createDrafts, EMAIL, PASSWORD, registration } from './drafts.ts'

const app = useApp()
const inbox = createInbox(() => app.db)
const { visitor, report: reportAs, createAda, logIn } = createDrafts(app)
const PUBLISH_ON_LOGIN = '/report/draft?publish=login'
const NOTICE = 'You have a report that is not published yet.'
const issues = () =>
  queryRows<{ summary: string; reporter: string; moderation_state: string }>(
    app.db,
    sql`
      SELECT i.summary, u.name AS reporter, i.moderation_state FROM issues i JOIN users u ON u.id = i.reporter_id ORDER BY i.id`,
  )
const PUBLISHED = { summary: 'Deep pothole', reporter: 'Ada Park', moderation_state: 'passed' }

let browser: Browser
const report = (more: Record<string, string> = {}) => reportAs(browser, more)
const register = () => browser.post('/register', { ...registration, return_to: '/report/draft' })
const readToken = async () => {
  const mail = (await inbox.receive()).find(({ to }) => to === EMAIL)
  return mail ? readLinkToken(mail) : ''
}
const confirm = async (token: string, more: Record<string, string> = {}) =>
  visitor().post('/emails/confirm', { token, password: PASSWORD, ...more })

beforeEach(() => {
  browser = visitor()
})

describe('the confirmation of an address', () => {
  it('publishes the report for which the account was created, in any browser', async () => {
    await report()
    const registered = await register()
    const done = await browser.get(String(registered.headers['location']))
    const token = await readToken()

    const asked = await visitor().get(`/emails/confirm?token=${token}`)
    const before = await issues()
    const confirmed = await confirm(token, { publish: 'true' })
    const again = await confirm(token, { publish: 'true' })

    expect(done.visibleText).toContain('It is published as soon as you confirm your address by the link in the mail.')
    expect(done.text).toContain('href="/report/draft">Look at it and publish it</a>')
    expect(asked.text).toContain('name="publish" value="true" checked')
    expect(asked.visibleText).not.toContain('Deep pothole')
    expect(before).toEqual([])
    expect(confirmed.visibleText).toContain('Your report is published.')
    expect(confirmed.text).toContain('href="/issues/1"')
    expect(again.visibleText).toContain('There is nothing left to do.')
    expect(await issues()).toEqual([PUBLISHED])
  })

  it('publishes nothing with a wrong password, twice at once, or without the mark', async () => {
    await report()
    await register()
    const token = await readToken()

    const wrong = await confirm(token, { password: 'wrong', publish: 'true' })
    const unmarked = await confirm(token)
    const repeated = await confirm(token, { publish: 'true' })

    expect(wrong.text).toContain('name="publish" value="true" checked')
    expect(unmarked.visibleText).toContain(NOTICE)
    expect(unmarked.text).toContain('href="/login?return_to=%2Freport%2Fdraft"')
    expect(repeated.visibleText).toContain(NOTICE)
    expect(await issues()).toEqual([])
  })

  it('publishes the report once for a form that is sent twice at the same time', async () => {
    await report()
    await register()
    const token = await readToken()

    const answers = await Promise.all([1, 2].map(() => confirm(token, { publish: 'true' })))

    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await issues()).toEqual([PUBLISHED])
  })

  it('says that a report waits for a review', async () => {
    await report({ 'answers[summary]': 'Asshole on Elm Street' })
    await register()

    const confirmed = await confirm(await readToken(), { publish: 'true' })

    expect(confirmed.visibleText).toContain('Moderators look at it before it is public.')
    expect(confirmed.text).toContain('href="/login?return_to=%2Fissues%2F1%3Freported%3Dnow"')
    expect(await issues()).toMatchObject([{ moderation_state: 'held' }])
  })

  it('leads to the draft if it cannot be published as it is', async () => {
    const type = await app.create.requestType({ title: 'Street light out' })
    await report({ request_type_id: String(type) })
    await app.db.prisma.requestType.delete({ where: { id: type } })
    await register()

    const confirmed = await confirm(await readToken(), { publish: 'true' })

    expect(confirmed.status).toBe(200)
    expect(confirmed.visibleText).toContain('ada@example.org is confirmed.')
    expect(confirmed.visibleText).toContain(NOTICE)
  })

  it('offers nothing to an account without a draft', async () => {
    await register()
    const token = await readToken()

    const asked = await visitor().get(`/emails/confirm?token=${token}`)
    const confirmed = await confirm(token, { publish: 'true' })

    expect(asked.text).not.toContain('name="publish"')
    expect(confirmed.visibleText).toContain('There is nothing left to do.')
  })
})

describe('the login with a draft in the browser', () => {
  it('publishes it for a resident who comes from its page', async () => {
    const ada = await createAda()
    await report()
    const draft = await browser.get('/report/draft')
    const form = await browser.get(`/login?return_to=${encodeURIComponent(PUBLISH_ON_LOGIN)}`)

    const loggedIn = await logIn(browser, ada, PUBLISH_ON_LOGIN)

    expect(draft.text).toContain('href="/login?return_to=%2Freport%2Fdraft%3Fpublish%3Dlogin">Log in and publish</a>')
    expect(form.visibleText).toContain('Your report is published as soon as you have logged in.')
    expect(loggedIn.headers['location']).toBe('/issues/1?reported=now')
    expect(await issues()).toEqual([PUBLISHED])
  })

  it('publishes it once for a form that is sent twice', async () => {
    const ada = await createAda()
    await report()
    const draft = browser.jar.get('fixpoint_draft') ?? ''

    await logIn(browser, ada, PUBLISH_ON_LOGIN)
    browser.jar.set('fixpoint_draft', draft)
    const again = await logIn(browser, ada, PUBLISH_ON_LOGIN)

    expect(again.headers['location']).toBe('/account/reports')
    expect(await issues()).toEqual([PUBLISHED])
  })

  it('shows it if it cannot be published as it is', async () => {
    const type = await app.create.requestType({ title: 'Street light out' })
    await report({ request_type_id: String(type) })
    await app.db.prisma.requestType.delete({ where: { id: type } })

    const loggedIn = await logIn(browser, await createAda(), PUBLISH_ON_LOGIN)

    expect(loggedIn.headers['location']).toBe('/report/draft')
    expect(await issues()).toEqual([])
  })

  it('shows it after a login from the menu, and returns to any other page', async () => {
    const ada = await createAda()
    await report()
    const fromMenu = await logIn(browser, ada)
    browser = visitor()
    await report()

    const fromQuestions = await logIn(browser, ada, '/questions')

    expect(fromMenu.headers['location']).toBe('/report/draft')
    expect(fromQuestions.headers['location']).toBe('/questions')
    expect(await issues()).toEqual([])
  })
})

describe('a waiting draft', () => {
  const pages = ['/', '/report', '/account/reports']

  it('is named on the pages where its author may look for it, until it is published', async () => {
    const ada = await createAda()
    await report()
    const beforeLogin = await Promise.all(['/', '/report'].map((path) => browser.get(path)))
    await logIn(browser, ada)

    const waiting = await Promise.all(pages.map((path) => browser.get(path)))
    await browser.post('/report/draft/publish', {})
    const published = await Promise.all(pages.map((path) => browser.get(path)))

    for (const page of [...beforeLogin, ...waiting]) {
      expect(page.visibleText).toContain(NOTICE)
      expect(page.text).toContain('href="/report/draft"')
      expect(page.headers['cache-control']).toBe('private, no-store')
      expect(page.visibleText).not.toContain('Deep pothole')
    }
    for (const page of published) expect(page.visibleText).not.toContain(NOTICE)
  })

  it('is not named to others', async () => {
    await report()
    const other = visitor()
    await logIn(other, await createAda())

    for (const path of pages) expect((await other.get(path)).visibleText).not.toContain(NOTICE)
    for (const path of ['/', '/report']) expect((await visitor().get(path)).visibleText).not.toContain(NOTICE)
  })
})
