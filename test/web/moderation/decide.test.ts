import { describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { addSession } from '../../../src/http/identity/session-queries.ts'
import { hashToken, newSecret } from '../../../src/http/identity/credentials.ts'
import { createBrowser } from '../../helpers/browser.ts'
import type { TestUser } from '../../helpers/factories.ts'
import { useApp } from '../../helpers/use-app.ts'
import { createImage } from '../../media/stored-images.ts'
import { createModerationScenario } from '../../moderation/scenario.ts'

const app = useApp()
const { moderator, createPendingReport, createPendingComment, flagged, findOpenItem, items } = createModerationScenario(app)

async function browserOf(person: TestUser) {
  const browser = createBrowser(app.fastify)
  const secret = newSecret()
  await addSession(app.db, { id: person.id, credentialsVersion: 1 }, hashToken(secret))
  browser.jar.set('fixpoint_session', secret)
  return browser
}

describe('moderation pages', () => {
  it('explain an empty queue, and are linked in the header for moderators only', async () => {
    const [mia, ada] = [await browserOf(await moderator()), await browserOf(await app.create.user())]

    const page = await mia.get('/moderation')

    expect(page.visibleText).toContain('Nothing is pending review')
    expect(page.text).toContain('href="/moderation?state=approved"')
    expect(page.headers['cache-control']).toBe('private, no-store')
    expect((await mia.get('/places')).text).toContain('href="/moderation"')
    expect((await ada.get('/places')).text).not.toContain('href="/moderation"')
  })

  it('redirect anonymous users to the login, and return 403 to other users and 404 for unknown items', async () => {
    const [mia, ada] = [await browserOf(await moderator()), await browserOf(await app.create.user())]
    const report = await app.create.user()
    const path = `/moderation/${await findOpenItem('issue', await createPendingReport(report))}`

    const anonymous = await createBrowser(app.fastify).get(path)

    expect([anonymous.status, anonymous.headers['location']]).toEqual([303, `/login?return_to=${encodeURIComponent(path)}`])
    for (const one of ['/moderation', path, '/moderation/99']) expect((await ada.get(one)).status).toBe(403)
    for (const one of [`${path}/approve`, `${path}/reject`]) expect((await ada.post(one)).status).toBe(403)
    for (const one of ['/moderation/99', '/moderation/x']) expect((await mia.get(one)).status).toBe(404)
    expect((await mia.post('/moderation/99/approve')).status).toBe(404)
    expect(
      (await mia.post(`${path}/approve`, {}, { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' })).status,
    ).toBe(403)
    expect((await app.as.anonymous.get('/issues/1')).status).toBe(404)
  })

  it('list pending items page by page with text, reason and picture', async () => {
    const [mia, ada] = [await moderator(), await app.create.user({ name: 'Ada Park' })]
    const issue = await createPendingReport(ada, { answers: { summary: 'Fucking bench', description: '<b>By</b> the lake' } })
    const { key } = await createImage(app, { issue_id: issue })
    for (let count = 0; count < 20; count++) await createPendingReport(ada, { answers: { summary: `Fucking lamp ${count}` } })
    const browser = await browserOf(mia)

    const [first, second] = [await browser.get('/moderation'), await browser.get('/moderation?page=2')]

    expect(first.visibleText).toContain('21 items, oldest first.')
    for (const text of [
      'Report by Ada Park',
      'Fucking bench',
      '&lt;b&gt;By',
      'It contains words that require a review.',
      'Page 1 of 2',
    ]) {
      expect(first.visibleText).toContain(text)
    }
    expect(first.text).toContain(`/files/${key}`)
    expect(second.visibleText).toContain('Fucking lamp 19')
    // An item with more content than the list shows, such as an image, can be approved only on its own page.
    expect([first, second].map(({ text }) => text.match(/aria-label="Approve: /g)?.length)).toEqual([19, 1])
    expect((await browser.get('/moderation?page=9')).visibleText).toContain('This page of the list is empty')
  })

  it('show an item with map, picture and editable texts, and save the edits on approval', async () => {
    const [mia, ada] = [await moderator(), await app.create.user()]
    const issue = await createPendingReport(ada, { answers: { summary: 'Fucking bench', description: 'First line\nsecond line' } })
    const item = await findOpenItem('issue', issue)
    const { key } = await createImage(app, { issue_id: issue })
    const browser = await browserOf(mia)

    const page = await browser.get(`/moderation/${item}`)
    const fields = { summary: 'Broken bench', description: 'First line\r\nsecond line', address: '250 Church St' }
    const sent = await browser.post(`/moderation/${item}/approve`, fields)

    for (const part of ['<svg class="map"', `/files/${key}`, 'value="Fucking bench"']) expect(page.text).toContain(part)
    expect([sent.status, sent.headers['location']]).toEqual([303, '/moderation?done=approved'])
    expect((await browser.get('/moderation?done=approved')).visibleText).toContain('Approved: it is public now.')
    expect((await app.as.anonymous.get(`/issues/${issue}`)).body).toMatchObject({
      summary: 'Broken bench',
      description: 'First line\nsecond line',
    })
    const after = await browser.get(`/moderation/${item}`)
    expect(after.visibleText).toContain('Approved by Moderator')
    expect(after.visibleText).toContain('Original version Summary Fucking bench')
    expect(after.text).not.toContain('>Approve</button>')
  })

  it('reject an item with a reason, and show validation errors next to the fields', async () => {
    const [mia, ada] = [await moderator(), await app.create.user()]
    const issue = await createPendingReport(ada)
    const [item, browser] = [await findOpenItem('issue', issue), await browserOf(mia)]

    const bad = await browser.post(`/moderation/${item}/approve`, { summary: '', description: '', address: '' })
    const long = await browser.post(`/moderation/${item}/reject`, { reason: 'x'.repeat(1_001) })
    const sent = await browser.post(`/moderation/${item}/reject`, { reason: 'Be polite.' })
    const again = await browser.post(`/moderation/${item}/reject`, { reason: 'No.' })

    expect([bad.status, long.status, sent.headers['location'], again.status]).toEqual([422, 422, '/moderation?done=rejected', 422])
    expect(bad.visibleText).toContain('Must be text of 1 to 255 characters.')
    expect(long.text).toContain('x'.repeat(1_001))
    expect(again.visibleText).toContain('This was already rejected by Moderator.')
    expect(await items(mia, '?state=rejected')).toMatchObject([{ id: item, rejection_reason: 'Be polite.' }])
  })

  it('show a comment with its issue and requested transition, and keep flagged content on approval', async () => {
    const [mia, ada] = [await moderator(), await app.create.user()]
    const issue = await app.create.issue({ summary: 'Broken swing' })
    const commentItem = await findOpenItem('comment', await createPendingComment(ada, issue, { move: 'close' }))
    const flaggedItem = (await flagged('issue', issue)) ?? 0
    const browser = await browserOf(mia)

    const [comment, report] = [await browser.get(`/moderation/${commentItem}`), await browser.get(`/moderation/${flaggedItem}`)]

    for (const text of ['You asshole', 'Broken swing', 'close the issue']) expect(comment.visibleText).toContain(text)
    expect(report.visibleText).toContain('Users flagged it: it stays public until it is rejected.')
    expect(report.text).toContain('<button class="second">Keep</button>')
    expect((await browser.post(`/moderation/${flaggedItem}/approve`)).status).toBe(303)
    expect((await app.as.anonymous.get(`/issues/${issue}`)).status).toBe(200)
  })

  it('name and link the issue of a comment, and reject it in the list with a reason', async () => {
    const [mia, ada] = [await moderator(), await app.create.user()]
    const issue = await app.create.issue({ summary: 'Broken swing' })
    const item = await findOpenItem('comment', await createPendingComment(ada, issue))
    const browser = await browserOf(mia)

    const list = await browser.get('/moderation')
    const sent = await browser.post(`/moderation/${item}/reject`, { reason: 'Be polite.' })
    const rejected = await browser.get('/moderation?state=rejected')

    expect(list.visibleText).toContain('On Broken swing')
    expect(list.text).toContain(`<a href="/issues/${issue}">Broken swing</a>`)
    expect(list.text).toMatch(
      new RegExp(
        `<details class="reject">[^]*action="/moderation/${item}/reject">[^]*<textarea id="field-reason-${item}" name="reason"[^>]* required`,
      ),
    )
    // Both decisions look alike.
    expect(list.text).not.toMatch(/<button>|<button name|class="(?:button )?primary"/)
    expect(sent.headers['location']).toBe('/moderation?done=rejected')
    expect(rejected.visibleText).toContain('On Broken swing')
  })

  it('show times in the time zone of the place, with dates as on other pages', async () => {
    const ada = await app.create.user()
    const at = { lng: -104.99, lat: 39.74 }
    const issue = await app.create.issue({ at, summary: 'Broken swing' })
    const organization = await app.create.organization({ around: at })
    const item = await findOpenItem('comment', await createPendingComment(ada, issue))
    await app.db.execute(sql`UPDATE moderation_items SET created_at = '2026-01-03T10:00:00Z' WHERE id = ${item}`)
    const browser = await browserOf(await app.create.user({ memberOf: [{ organization, role: 'moderator' }] }))

    const pages = [await browser.get('/moderation'), await browser.get(`/moderation/${item}`)]

    for (const { visibleText } of pages) expect(visibleText).toContain('Jan 3, 2026, 3:00 AM MST')
  })

  it('do not let moderators decide on their own content, and say why', async () => {
    const [mia, issue] = [await moderator(), await app.create.issue()]
    const item = await findOpenItem('comment', await createPendingComment(mia, issue))
    const browser = await browserOf(mia)

    const pages = [await browser.get('/moderation'), await browser.get(`/moderation/${item}`)]
    const sent = await browser.post(`/moderation/${item}/approve`)

    for (const page of pages) {
      expect(page.visibleText).toContain('You wrote this yourself, so another moderator has to decide on it.')
      for (const way of ['/approve"', '/reject"']) expect(page.text).not.toContain(way)
    }
    expect([sent.status, sent.visibleText.includes('another moderator has to decide on it')]).toEqual([403, true])
  })
})
