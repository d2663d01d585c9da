import { beforeEach, describe, expect, it } from 'vitest'

import { hashPassword } from '../../helpers/hash-password.ts'
import { createBrowser } from '../../helpers/browser.ts'
import type { TestUser } from '../../helpers/factories.ts'
import { imagesWithMetadata } from '../../helpers/images.ts'
import { createLoggedInBrowser, sendMultipart } from '../../helpers/logged-in-browser.ts'
import { useApp } from '../../helpers/use-app.ts'

const PASSWORD = 'correct horse'
const DAY_MS = 86_400_000
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()

describe('GET /issues/:id', () => {
  const app = useApp()
  const page = (id: number) => app.as.anonymous.send('GET', `/issues/${id}`)

  it('says in words how long the issue has been open', async () => {
    const waiting = await app.create.issue({ created_at: ago(23) })
    const taken = await app.create.issue({ status: 'Acknowledged', created_at: ago(400), acknowledged_at: ago(1) })
    const done = await app.create.issue({ status: 'Closed', created_at: ago(12), closed_at: ago(2) })

    const texts = await Promise.all([waiting, taken, done].map(async (id) => (await page(id)).text))

    expect(texts.map((text) => /<span class="age">([^<]*)/.exec(text)?.[1])).toEqual([
      'for 3 weeks',
      '· open for 13 months',
      'after 10 days',
    ])
  })

  it('has the words and pictures before the map, on which other issues are paler than the pin', async () => {
    const id = await app.create.issue({ description: 'Deep hole' })
    await app.create.issue()

    const { text } = await page(id)

    expect(text.indexOf('Deep hole</p>')).toBeGreaterThan(0)
    expect(text.indexOf('Deep hole</p>')).toBeLessThan(text.indexOf('class="page-map"'))
    expect(text).toMatch(/<g class="around">.*class="dots open"/s)
    expect(text).not.toContain('class="ring"')
  })

  it('shows the picture of the report next to that of the closing once it is closed', async () => {
    const [image] = await imagesWithMetadata()
    const picture = () => new File([new Uint8Array(image?.bytes ?? [])], 'hole.jpg', { type: 'image/jpeg' })
    const reporter = await app.create.user()
    const browser = await createLoggedInBrowser(app, reporter)
    const id = await app.create.issue({ reporter, summary: 'Hole' })
    await app.db.prisma.medium.create({
      data: { issue_id: id, full_key: 'pictures/before.jpg', content_type: 'image/jpeg', bytes: 1, width: 1, height: 1 },
    })

    const closed = await sendMultipart(browser, `/issues/${id}/close`, { comment: 'Filled', image: picture() })
    const { text } = await page(id)
    await sendMultipart(browser, `/issues/${id}/open`, { comment: 'Broken again' })
    const reopened = await page(id)

    expect(closed.status).toBe(303)
    expect(text).toMatch(
      /<div class="before-and-after">.*before\.jpg" alt="Before the repair: Hole".*alt="When it was closed: Hole"/s,
    )
    expect(text.split('before.jpg" alt=')).toHaveLength(2)
    expect(reopened.text).not.toContain('before-and-after')
  })

  it('has the short link as text and a button that a script shows', async () => {
    const id = await app.create.issue()

    const { text } = await page(id)

    expect(text).toMatch(
      /Short link: <a href="\/i\/1">http:\/\/fixpoint\.test\/i\/1<\/a>\s*<button[^>]* hidden data-copies="http:\/\/fixpoint\.test\/i\/1"/,
    )
    expect(text).toMatch(/<script type="module" src="\/files\/copy\.js\?v=/)
    expect(text).toContain(`<p class="printed" id="printed-url" data-follows-map>http://fixpoint.test/issues/${id}</p>`)
  })
})

describe('vote and follow without a session', () => {
  const app = useApp()
  let issue: number
  let otto: TestUser

  beforeEach(async () => {
    issue = await app.create.issue()
    otto = await app.create.user({ password_hash: await hashPassword(PASSWORD) })
  })

  const counts = async () => [await app.db.prisma.vote.count(), await app.db.prisma.follow.count({ where: { user_id: otto.id } })]

  it.each([
    ['vote', 'Vote for it', 'After you log in, your vote for #1 is counted.', [1, 0]],
    ['follow', 'Follow', 'After you log in, you follow #1.', [0, 1]],
  ])('lead to the login, which takes the step: %s', async (step, name, note, expected) => {
    const browser = createBrowser(app.fastify)
    const { text } = await browser.get(`/issues/${issue}`)
    const href = new RegExp(`href="(/login[^"]*)">${name}<`).exec(text)?.[1] ?? ''

    const login = await browser.get(href)
    const form = { return_to: `/issues/${issue}/${step}`, email: otto.email, password: PASSWORD }
    const wrong = await browser.post('/login', { ...form, password: 'wrong' })
    const before = await counts()
    const done = await browser.post('/login', form)

    expect(login.visibleText).toContain(note)
    expect([wrong.status, before]).toEqual([422, [0, 0]])
    expect([done.status, done.headers['location'], await counts()]).toEqual([303, `/issues/${issue}#part`, expected])
  })

  it('change nothing a second time, and lead to the page of an issue that is gone', async () => {
    await app.create.vote({ on: issue, by: otto })
    const form = { email: otto.email, password: PASSWORD }

    const again = await createBrowser(app.fastify).post('/login', { ...form, return_to: `/issues/${issue}/vote` })
    const gone = await createBrowser(app.fastify).post('/login', { ...form, return_to: '/issues/999/follow' })

    expect([again, gone].map(({ headers }) => headers['location'])).toEqual([`/issues/${issue}#part`, '/issues/999#part'])
    expect(await counts()).toEqual([1, 0])
  })

  it('are done by the registration, too', async () => {
    const form = {
      name: 'Ada',
      email: 'new@example.org',
      password: 'correct horse',
      accept_terms: 'true',
      return_to: `/issues/${issue}/vote`,
    }

    const { headers } = await createBrowser(app.fastify).post('/register', form)

    expect(headers['location']).toBe(`/register/done?return_to=%2Fissues%2F${issue}%23part`)
    expect((await counts())[0]).toBe(1)
  })
})
