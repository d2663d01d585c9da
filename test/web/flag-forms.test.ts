import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { hashToken, newSecret } from '../../src/http/identity/credentials.ts'
import { addSession } from '../../src/http/identity/session-queries.ts'
import { createBrowser } from '../helpers/browser.ts'
import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()

async function browserOf(person: TestUser) {
  const [browser, secret] = [createBrowser(app.fastify), newSecret()]
  await addSession(app.db, { id: person.id, credentialsVersion: 1 }, hashToken(secret))
  browser.jar.set('fixpoint_session', secret)
  return browser
}
const flags = () => queryRows(app.db, sql`SELECT f.issue_id, f.comment_id, f.user_id, f.message FROM flags f ORDER BY f.id`)

describe('flag form', () => {
  it('is shown at flag_url and at the path it is sent to', async () => {
    const browser = await browserOf(await app.create.user())
    const issue = await app.create.issue()

    const pages = [await browser.get(`/api/v2/issues/${issue}/flag`), await browser.get(`/issues/${issue}/flag`)]

    for (const { status, text, headers } of pages) {
      expect([status, headers['cache-control']]).toEqual([200, 'private, no-store'])
      expect(headers['content-security-policy']).toContain("form-action 'self'")
      expect(text).toContain(`<form method="post" action="/issues/${issue}/flag">`)
      expect(text).toMatch(/<textarea id="field-message" name="message"[^>]* maxlength="1000"[^>]* required>/)
    }
  })

  it.each(['issue', 'comment'] as const)('flags the %s once and confirms it', async (type) => {
    const ada = await app.create.user()
    const browser = await browserOf(ada)
    const issue = await app.create.issue()
    const comment = await app.create.comment({ on: issue })
    const path = type === 'issue' ? `/issues/${issue}/flag` : `/comments/${comment}/flag`

    const sent = await browser.post(path, { message: 'An advertisement.' })
    const again = await browser.post(path, { message: 'An advertisement.' })
    const page = await browser.get(path)

    expect([sent, again].map(({ status, headers }) => [status, headers['location']])).toEqual([
      [303, path],
      [303, path],
    ])
    expect(page.visibleText).toContain(`You have flagged this ${type}. Thank you`)
    expect(page.text).not.toContain('<textarea')
    expect(await flags()).toEqual([
      {
        issue_id: type === 'issue' ? issue : null,
        comment_id: type === 'comment' ? comment : null,
        user_id: ada.id,
        message: 'An advertisement.',
      },
    ])
  })

  it('returns 422 for a blank or too long message and keeps the input', async () => {
    const browser = await browserOf(await app.create.user())
    const issue = await app.create.issue()

    const blank = await browser.post(`/issues/${issue}/flag`, { message: ' ' })
    const long = await browser.post(`/issues/${issue}/flag`, { message: 'long '.repeat(201) })

    expect([blank.status, long.status]).toEqual([422, 422])
    expect(blank.visibleText).toContain('Must be text of 1 to 1,000 characters.')
    expect(long.text).toContain('long '.repeat(200))
    expect(await flags()).toEqual([])
  })

  it('redirects anonymous users to the login and back', async () => {
    const browser = createBrowser(app.fastify)
    const issue = await app.create.issue()
    const login = `/login?return_to=%2Fissues%2F${issue}%2Fflag`

    const page = await browser.get(`/issues/${issue}/flag`)
    const sent = await browser.post(`/issues/${issue}/flag`, { message: 'An advertisement.' })

    expect(page.text).toContain(`<a class="button" href="${login}">Log in to flag it</a>`)
    expect(page.text).not.toContain('<textarea')
    expect([sent.status, sent.headers['location']]).toEqual([303, login])
    expect(await flags()).toEqual([])
  })

  it('is hidden from the author, whose flag returns 422', async () => {
    const ada = await app.create.user()
    const browser = await browserOf(ada)
    const comment = await app.create.comment({ on: await app.create.issue(), by: ada })

    const page = await browser.get(`/comments/${comment}/flag`)
    const sent = await browser.post(`/comments/${comment}/flag`, { message: 'An advertisement.' })

    expect([page.status, sent.status]).toEqual([200, 422])
    for (const { visibleText, text } of [page, sent]) {
      expect(visibleText).toContain('You wrote this comment yourself, so you cannot flag it.')
      expect(text).not.toContain('<textarea')
    }
    expect(await flags()).toEqual([])
  })

  it('returns 403 for a cross-site request', async () => {
    const browser = await browserOf(await app.create.user())
    const issue = await app.create.issue()
    const headers = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }

    const sent = await browser.post(`/issues/${issue}/flag`, { message: 'An advertisement.' }, headers)

    expect(sent.status).toBe(403)
    expect(await flags()).toEqual([])
  })

  it('returns 404 for unreadable, unknown and malformed ids', async () => {
    const browser = await browserOf(await app.create.user())
    const issue = await app.create.issue()
    const pendingId = await app.create.issue({ moderation_state: 'held' })
    const pendingComment = await app.create.comment({ on: issue, moderation_state: 'held' })
    const paths = [
      `/issues/${pendingId}/flag`,
      `/comments/${pendingComment}/flag`,
      '/issues/999/flag',
      '/issues/x/flag',
      '/comments/0/flag',
    ]

    const read = await Promise.all(paths.map(async (path) => (await browser.get(path)).status))
    const sent = await Promise.all(paths.map(async (path) => (await browser.post(path, { message: 'Spam.' })).status))
    const blank = await Promise.all(paths.map(async (path) => (await browser.post(path)).status))

    expect([read, sent, blank]).toEqual([Array(5).fill(404), Array(5).fill(404), Array(5).fill(404)])
  })
})
