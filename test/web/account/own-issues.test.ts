import { beforeEach, describe, expect, it } from 'vitest'

import { type Browser, createBrowser } from '../../helpers/browser.ts'
import type { TestUser } from '../../helpers/factories.ts'
import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()
let ada: TestUser
let ben: TestUser
let browser: Browser

beforeEach(async () => {
  ada = await app.create.user({ name: 'Ada Park' })
  ben = await app.create.user({ name: 'Ben Stone' })
  browser = await createLoggedInBrowser(app, ada)
})

/** Returns the visible text of each card. */
const cardsIn = (page: string) =>
  [...page.matchAll(/<li class="card issue">([^]*?)<\/li>/g)].map(([, card = '']) =>
    card
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )
const choicesIn = (page: string) =>
  [...(/<nav class="choices"[^]*?<\/nav>/.exec(page)?.[0] ?? '').matchAll(/href="([^"]*)"( aria-current="true")?>([^<]*)/g)].map(
    ([, href, current, name]) => [href, name, current !== undefined],
  )

describe('/account/reports', () => {
  it('lists all reports of the user, newest first, with those that only the user sees', async () => {
    const report = { reporter: ada, address: '250 Church St' }
    await app.create.issue({ ...report, summary: 'Pothole', status: 'Closed', created_at: '2026-01-01T10:00:00Z' })
    await app.create.issue({ ...report, summary: 'Lamp', anonymous: true, created_at: '2026-01-02T10:00:00Z' })
    await app.create.issue({ ...report, summary: 'Poster', moderation_state: 'held', created_at: '2026-01-03T10:00:00Z' })
    await app.create.issue({ ...report, summary: 'Rant', moderation_state: 'rejected', created_at: '2026-01-04T10:00:00Z' })
    await app.create.issue({ reporter: ben, summary: 'Bench' })

    const { text, headers } = await browser.get('/account/reports')

    expect(cardsIn(text)).toEqual([
      'Rant Rejected #4 · Jan 4, 2026 · 250 Church St',
      'Poster Pending review #3 · Jan 3, 2026 · 250 Church St',
      'Lamp Open #2 · Jan 2, 2026 · 250 Church St · without your name',
      'Pothole Closed #1 · Jan 1, 2026 · 250 Church St',
    ])
    expect(text).toContain('<h2>4 reports</h2>')
    expect(text).toContain('<meta name="robots" content="noindex">')
    expect(headers['cache-control']).toBe('private, no-store')
  })

  it('filters by status, offers the statuses that there are with their numbers, and keeps the filter on other pages', async () => {
    for (let number = 0; number < 21; number++) await app.create.issue({ reporter: ada, status: 'Acknowledged' })
    await app.create.issue({ reporter: ada, moderation_state: 'held', summary: 'Poster' })

    const pending = await browser.get('/account/reports?status=pending')
    const acknowledged = await browser.get('/account/reports?status=acknowledged')
    const second = await browser.get('/account/reports?status=acknowledged&page=2')
    const none = await browser.get('/account/reports?status=closed')
    const past = await browser.get('/account/reports?page=9')

    expect(choicesIn(pending.text)).toEqual([
      ['/account/reports', 'All 22', false],
      ['/account/reports?status=acknowledged', 'Acknowledged 21', false],
      ['/account/reports?status=pending', 'Pending review 1', true],
    ])
    expect(cardsIn(pending.text)).toEqual([expect.stringContaining('Poster')])
    expect([acknowledged, second].map(({ text }) => cardsIn(text).length)).toEqual([20, 1])
    expect(acknowledged.text).toContain('<a rel="next" href="/account/reports?status=acknowledged&amp;page=2">')
    expect(none.visibleText).toContain('None has this status. Show all')
    expect(past.visibleText).toContain('This page of the list is empty. Go to the first page')
  })

  it('says what to do if there are none', async () => {
    const { text, visibleText } = await browser.get('/account/reports')

    expect(visibleText).toContain('You have not reported anything yet. Report a problem , or look at the map to see')
    expect(text).toContain('<a href="/report">Report a problem</a>')
    expect(choicesIn(text)).toEqual([])
  })

  it('refuses an unknown status and asks anonymous callers to log in', async () => {
    const wrong = await browser.get('/account/reports?status=mine')
    const anonymous = await createBrowser(app.fastify).get('/account/reports?status=open')

    expect(wrong.status).toBe(422)
    expect(wrong.visibleText).toContain('Status: must be')
    expect(anonymous.headers['location']).toBe('/login?return_to=%2Faccount%2Freports%3Fstatus%3Dopen')
  })
})

describe('/account/following', () => {
  it('lists the public issues that the user follows, the last change first', async () => {
    const first = await app.create.issue({ summary: 'Pothole', reporter: ben, anonymous: true, updated_at: '2026-01-05T10:00:00Z' })
    const second = await app.create.issue({ summary: 'Lamp', updated_at: '2026-01-06T10:00:00Z' })
    const own = await app.create.issue({ summary: 'Poster', reporter: ada, moderation_state: 'held' })
    const hidden = await app.create.issue({ summary: 'Insult', reporter: ben, moderation_state: 'rejected' })
    for (const on of [first, second, own, hidden]) await app.create.follow({ on, by: ada })
    await app.create.follow({ on: await app.create.issue({ summary: 'Bench' }), by: ben })

    const { text } = await browser.get('/account/following')

    expect(cardsIn(text)).toEqual(['Lamp Open #2 · changed Jan 6, 2026 Unfollow', 'Pothole Open #1 · changed Jan 5, 2026 Unfollow'])
  })

  it('unfollows an issue without leaving the list, also after a double click', async () => {
    const issue = await app.create.issue({ summary: 'Pothole' })
    await app.create.follow({ on: issue, by: ada })
    const before = await browser.get('/account/following')

    const answers = [
      await browser.post(`/account/following/${issue}/delete`),
      await browser.post(`/account/following/${issue}/delete`),
    ]
    const after = await browser.get(String(answers[0]?.headers['location']))

    expect(before.text).toContain(`action="/account/following/${issue}/delete"`)
    expect(before.text).toContain('aria-label="Unfollow: Pothole">Unfollow</button>')
    expect(answers.map(({ status }) => status)).toEqual([303, 303])
    expect(after.visibleText).toContain('You no longer follow this issue.')
    expect(after.visibleText).toContain('You do not follow any issue yet.')
    expect(await app.db.prisma.follow.count()).toBe(0)
  })
})
