import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'

import { GREEN, square } from '../helpers/factories.ts'
import { isLong } from '../helpers/long.ts'
import { hasChromium, skipped, useBrowser } from './chromium.ts'

const ready = '#map[data-state=ready]'

describe.runIf(hasChromium)(`the address of the map${skipped}`, () => {
  const { app, open } = useBrowser()

  beforeAll(async () => {
    const reporter = await app.create.user({ name: 'Ada Park' })
    await app.create.place({ name: 'New Haven', url_name: 'new-haven', boundary: square(GREEN, 0.02) })
    await app.create.issue({ summary: 'Pothole', reporter, at: GREEN })
    await app.create.issue({ summary: 'Lamp', reporter, at: { lat: GREEN.lat, lng: GREEN.lng + 0.04 } })
  })

  const count = (page: Page) => page.locator('#issues h2').textContent()
  const entries = async ({ search }: URL) => {
    const { body } = await app.as.anonymous.get(`/issues${search}`)
    return (body as { metadata: { pagination: { entries: number } } }).metadata.pagination.entries
  }

  async function openMovedMap() {
    const opened = await open('/?place_url=new-haven')
    await opened.page.waitForSelector(ready)
    await opened.page.getByRole('link', { name: 'New Haven: leave it' }).click()
    await opened.page.locator('canvas').focus()
    await opened.page.keyboard.press('+')
    await expect.poll(() => opened.page.url()).toContain('min_lat=')
    await expect.poll(() => opened.page.locator('h1').textContent()).toBe('What is broken here?')
    return opened
  }

  it('leads back to the place that was left, and to the view after it, with one request each', async () => {
    const { page, requests, complaints } = await open('/?place_url=new-haven')
    await page.waitForSelector(ready)
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }))
    const lists = () => requests.filter((path) => path === '/').length
    await page.locator('canvas').focus()
    await page.keyboard.press('+')
    await expect.poll(() => page.url()).toContain('view=')
    const place = page.url()
    await page.getByRole('link', { name: 'New Haven: leave it' }).click()
    await expect.poll(() => page.locator('h1').textContent()).toBe('What is broken here?')
    const box = page.url()
    const before = lists()

    await page.goBack()
    await expect.poll(() => page.locator('h1').textContent()).toBe('New Haven')
    expect(page.url()).toBe(place)
    await page.goForward()
    await expect.poll(() => page.locator('h1').textContent()).toBe('What is broken here?')

    // A list that a move loads would follow by now.
    await page.waitForTimeout(600)
    expect(page.url()).toBe(box)
    expect(lists()).toBe(before + 2)
    expect(await page.evaluate(() => 'isSamePage' in globalThis)).toBe(true)
    expect(complaints).toEqual([])
  })

  it.runIf(isLong)('names the area in title, heading, chips and links, before and after a move', async () => {
    const { page } = await openMovedMap()

    expect(await page.title()).toBe('Map of issues · Fixpoint')
    expect(await page.locator('#map-places [aria-current]').count()).toBe(0)
    expect(await page.locator('#map-report a').getAttribute('href')).toMatch(/\/report\?view=\d+\.\d+%2F41\.\d+%2F-72\.\d+$/)
    expect(await page.locator('#filter-buttons a').getAttribute('href')).toContain('min_lat=')
    expect(await page.locator('input[name=return_to]').getAttribute('value')).toContain('min_lat=')
  })

  it.runIf(isLong)('shows the same view to whom it is sent', async () => {
    const { page } = await openMovedMap()
    const link = new URL(page.url())

    const { page: other } = await open(`${link.pathname}${link.search}`)
    await other.waitForSelector(ready)

    expect(other.url()).toBe(link.href)
    expect(await count(other)).toBe(await count(page))
  })

  it('counts what a window of another size shows', async () => {
    const { lat, lng } = GREEN
    const box = `min_lat=${lat - 0.01}&max_lat=${lat + 0.01}&min_lng=${lng - 0.01}&max_lng=${lng + 0.01}`

    const { page } = await open(`/?${box}`, { viewport: { width: 1400, height: 260 } })

    await expect.poll(() => page.url()).not.toContain(`min_lng=${lng - 0.01}`)
    await expect.poll(() => count(page)).toBe('2 issues')
    expect(await entries(new URL(page.url()))).toBe(2)
  })

  it.runIf(isLong)('ignores parameters that it does not know, such as a mistyped one', async () => {
    const { page, complaints, requests } = await open('/?place=new-haven&sort=x')

    await page.waitForSelector(ready)

    expect(requests.some((path) => /^\/tiles\/issues\/\d/.test(path))).toBe(true)
    expect(complaints).toEqual([])
  })
})
