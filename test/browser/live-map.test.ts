import type { Locator, Route } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { GREEN, type TestUser } from '../helpers/factories.ts'
import { hasChromium, skipped, useBrowser } from './chromium.ts'

/** Another test of the same server may hold the log of changes back for minutes with a long transaction. */
const LONG = { interval: 2_000, timeout: 400_000 }

describe.runIf(hasChromium)(`pages while others report${skipped}`, { timeout: 500_000 }, () => {
  const { app, open } = useBrowser({ STREAM_SECONDS_MAX: '3600' })
  let reporter: TestUser
  beforeAll(async () => {
    reporter = await app.create.user()
  })
  const createIssue = (summary: string) =>
    app.create.issue({ summary, reporter, at: { lng: GREEN.lng + 0.001 * Math.random(), lat: GREEN.lat } })
  /** Makes changes until the page says that there are some: its stream may begin after the first. */
  const changeUntilSeen = (news: Locator, change: () => Promise<unknown>) =>
    expect
      .poll(async () => {
        await change()
        return news.count()
      }, LONG)
      .toBe(1)

  it('the map asks again for the tiles that changed, and says how many reports are new without moving the list', async () => {
    await createIssue('Known lamp')
    // Tiles are asked for where issues are.
    for (const lng of [GREEN.lng - 0.3, GREEN.lng + 0.3])
      await app.create.issue({ summary: 'Far lamp', reporter, at: { lng, lat: GREEN.lat } })
    const { page, requests, complaints } = await open(
      `/?min_lat=${GREEN.lat - 0.1}&max_lat=${GREEN.lat + 0.1}&min_lng=${GREEN.lng - 0.2}&max_lng=${GREEN.lng + 0.2}`,
    )
    await page.waitForSelector('#map[data-state=ready]')
    const loaded = requests.filter((path) => path.startsWith('/tiles/issues/'))

    const news = page.locator('#map-news button')
    await changeUntilSeen(news, () => createIssue('New hole'))
    expect(await news.textContent()).toMatch(/^\d+ new reports?\. Load (it|them)$/)
    expect(await page.locator('#issues h3').allTextContents()).not.toContain('New hole')
    const again = () => requests.filter((path) => path.startsWith('/tiles/issues/')).slice(loaded.length)
    await expect.poll(() => again().length).toBeGreaterThan(0)
    expect(new Set(again()).size).toBeLessThan(new Set(loaded).size)

    await news.click()
    await page.getByRole('heading', { name: 'New hole' }).first().waitFor()
    expect(complaints).toEqual([])
  })

  it('the list of a place says how many reports are new in it, with the filters that it has now', async () => {
    await app.create.place({ url_name: 'greens', around: GREEN, size: 0.05 })
    await createIssue('Known bench')
    const { page, complaints } = await open('/places/greens')
    const streams: string[] = []
    page.on('request', (request) => request.resourceType() === 'eventsource' && streams.push(request.url()))
    await page.locator('#issue-list').getByRole('heading', { name: 'Known bench' }).waitFor()
    await page.getByRole('link', { name: 'Open', exact: true }).first().click()
    await page.waitForURL(/status=open/)
    await page.locator('#issue-list:not([aria-busy=true])').waitFor()

    const news = page.locator('#map-news button')
    await changeUntilSeen(news, () => createIssue('New puddle'))
    expect(await page.locator('#issue-list').getByRole('heading', { name: 'New puddle' }).count()).toBe(0)

    await news.click()
    await page.locator('#issue-list').getByRole('heading', { name: 'New puddle' }).first().waitFor()
    // A busy machine may bring a change of before only after the list was loaded.
    const loadRest = async () => {
      if ((await news.count()) > 0) await news.click({ timeout: 10_000 }).catch(() => undefined)
      return news.count()
    }
    await expect.poll(loadRest, { interval: 1_000 }).toBe(0)
    expect(page.url()).toMatch(/status=open/)
    // The map asks again only for the tiles that each change names.
    expect(streams.filter((url) => !url.includes('tiles=14'))).toEqual([])
    expect(complaints).toEqual([])
  })

  it('says what happened between the page and its stream', async () => {
    await app.create.place({ url_name: 'gap', around: GREEN, size: 0.05 })
    const { page, complaints } = await open('/places')
    const step = await createIssue('Old step')
    const changes = {
      '/places/gap': () => createIssue('Quick report'),
      '/': () => createIssue('Quicker report'),
      [`/issues/${step}`]: () => app.db.execute(sql`UPDATE issues SET summary = 'Broken step' WHERE id = ${step}`),
    }
    for (const [path, change] of Object.entries(changes)) {
      const beforeStream = async (route: Route) => {
        await change()
        await route.continue()
      }
      await page.route('**/changes/stream?*', beforeStream, { times: 1 })
      await page.goto(new URL(path, page.url()).href)
      await expect.poll(() => page.locator('#map-news button').count(), { message: path, ...LONG }).toBe(1)
    }
    expect(complaints).toEqual([])
  })

  it('the list of staff says at once that an issue of its types has changed', async () => {
    const organization = await app.create.organization()
    const request_type = await app.create.requestType({ organization })
    const as = await app.create.user({ memberOf: [{ organization }] })
    const id = await app.create.issue({ request_type, summary: 'Loose rail' })
    const { page, complaints } = await open('/work', { as, webGl: false })

    await changeUntilSeen(page.getByText('1 changed. Show it'), async () => {
      await app.db.prisma.issue.update({ where: { id }, data: { status: 'Acknowledged', version: { increment: 1 } } })
      await app.db.prisma.issue.update({ where: { id }, data: { status: 'Open', version: { increment: 1 } } })
    })
    expect(complaints).toEqual([])
  })

  it('the page of an issue says that it has changed, and shows it as it is when asked', async () => {
    const id = await createIssue('Crooked sign')
    const { page, complaints } = await open(`/issues/${id}`, { webGl: false })
    await page.getByRole('heading', { name: 'Crooked sign' }).waitFor()

    const news = page.locator('#map-news button')
    await createIssue('Another sign')
    await changeUntilSeen(news, () => app.db.execute(sql`UPDATE issues SET summary = summary || '!' WHERE id = ${id}`))
    expect(await news.textContent()).toBe('This report has changed. Show it as it is now')
    expect(await page.locator('h1').textContent()).toContain('Crooked sign')

    await news.click()
    await page.getByRole('heading', { name: 'Crooked sign!' }).first().waitFor()
    expect(complaints).toEqual([])
  })
})
