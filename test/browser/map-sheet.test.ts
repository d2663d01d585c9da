import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'

import { GREEN, square } from '../helpers/factories.ts'
import { isLong } from '../helpers/long.ts'
import { hasChromium, type OpenPage, skipped, useBrowser } from './chromium.ts'
import { findViolations } from './find-violations.ts'

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const ready = '#map[data-state=ready]'
const { lat, lng } = GREEN
const boxOf = (half: number, at = lat) => `min_lat=${at - half}&max_lat=${at + half}&min_lng=${lng - half}&max_lng=${lng + half}`

describe.runIf(hasChromium)(`the list and the pins of the map${skipped}`, () => {
  const { app, open } = useBrowser()
  let pothole: number

  beforeAll(async () => {
    const reporter = await app.create.user({ name: 'Ada Park' })
    await app.create.place({ name: 'New Haven', url_name: 'new-haven', boundary: square(GREEN, 0.02) })
    pothole = await app.create.issue({ summary: 'Pothole', reporter, at: GREEN })
  })

  const bottomOf = async (page: Page, selector: string) => {
    const box = await page.locator(selector).first().boundingBox()
    return box ? box.y + box.height : NaN
  }

  describe('on a phone', () => {
    let opened: OpenPage
    beforeAll(async () => {
      opened = await open('/?place_url=new-haven', { ...PHONE, deviceScaleFactor: 3 })
      await opened.page.waitForSelector(ready)
    })

    it('show map, heading, number and the first issue at once', async () => {
      const { page, complaints } = opened

      for (const selector of ['h1', '#issues h2', '#issues .card']) expect(await bottomOf(page, selector)).toBeLessThan(844)
      expect((await page.locator('canvas').boundingBox())?.height).toBeGreaterThan(350)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
      expect(complaints).toEqual([])
    })

    it('have no violation of axe', async () => {
      expect(await findViolations(opened.page)).toEqual([])
    })

    it('save the battery: the map has two pixels per CSS pixel at most, and draws nothing while it does not move', async () => {
      const ratio = await opened.page.locator('canvas').evaluate(({ width, clientWidth }: HTMLCanvasElement) => width / clientWidth)

      expect(ratio).toBe(2)
      expect(await opened.page.evaluate(countDrawings)).toBe(0)
    })
  })

  it.runIf(isLong)('has a sheet that a button and a drag expand and collapse', async () => {
    const { page } = await open('/?place_url=new-haven', PHONE)
    await page.waitForSelector(ready)
    const handle = page.locator('[data-sheet]')
    const height = async () => (await page.locator('#map-panel').boundingBox())?.height ?? 0
    const collapsed = await height()

    await handle.focus()
    await page.keyboard.press('Enter')
    expect(await handle.getAttribute('aria-expanded')).toBe('true')
    expect(await handle.textContent()).toBe('Show more of the map')
    expect(await height()).toBeGreaterThan(collapsed + 200)

    await page.keyboard.press('Enter')
    expect(await height()).toBe(collapsed)

    const { x = 0, y = 0 } = (await handle.boundingBox()) ?? {}
    await page.mouse.move(x + 190, y + 10)
    await page.mouse.down()
    await page.mouse.move(x + 190, y - 100, { steps: 4 })
    await page.mouse.up()
    expect(await handle.getAttribute('aria-expanded')).toBe('true')
  })

  it('is complete on a phone without scripts, which have the only button of the sheet', async () => {
    const { page } = await open('/?place_url=new-haven', { ...PHONE, javaScriptEnabled: false })

    expect(await page.locator('[data-sheet]').isVisible()).toBe(false)
    expect(await page.locator('#issues .card').isVisible()).toBe(true)
    await page.getByText('Search and filters').click()
    expect(await page.getByLabel('Search the issues').isVisible()).toBe(true)
  })

  const middle = async (page: Page) => {
    const box = (await page.locator('canvas').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  }

  it('shows a card with picture, title, status and link at a pin that is tapped', async () => {
    const { page } = await open(`/?${boxOf(0.001)}`, PHONE)
    await page.waitForSelector(ready)

    const { x, y } = await middle(page)
    await page.touchscreen.tap(x, y)

    const card = page.locator('.pin-card')
    await card.waitFor()
    expect(await card.locator('a').getAttribute('href')).toBe(`/issues/${pothole}`)
    expect(await card.textContent()).toMatch(new RegExp(`^PotholeOpen#${pothole} · (now|.* ago)$`))
    await expect.poll(() => card.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
    expect(await bottomOf(page, '.pin-card')).toBeLessThan(y)
  })

  it.runIf(isLong).each([
    ['of a close map', 0.001],
    ['below zoom 15', 0.02],
  ])('shows the card of a pin under the pointer that the list does not have, with title and picture: %s', async (_map, half) => {
    const { page, requests, complaints } = await open(`/?${boxOf(half)}`)
    await page.waitForSelector(ready)
    // The page has asked for the list of what its window shows.
    await page.waitForLoadState('networkidle')
    await page.locator('#issues .cards').evaluate((list) => list.remove())

    const { x, y } = await middle(page)
    await page.mouse.move(x - 60, y)
    await page.mouse.move(x, y, { steps: 3 })

    await expect.poll(() => page.locator('.pin-card').count()).toBe(1)
    expect(await page.locator('.pin-card').textContent()).toMatch(/^PotholeOpen#\d+ · (now|.* ago)$/)
    await expect
      .poll(() => page.locator('.pin-card img').evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBeGreaterThan(0)
    expect(requests.includes(`/map/issues/${pothole}`)).toBe(true)
    // The limit of the API would block who crosses many pins.
    expect(requests.filter((path) => path.startsWith('/api/'))).toEqual([])
    await page.mouse.move(x - 80, y - 80)
    await expect.poll(() => page.locator('.pin-card').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('shows the whole card of a pin that is left of the middle', async () => {
    const summary = 'A pothole, as deep as a bucket, in the lane for bicycles before the school'
    await app.create.issue({ summary, reporter: await app.create.user({ name: 'Bo Lind' }), at: { lat: lat + 0.05, lng } })
    const { page } = await open(`/?${boxOf(0.001, lat + 0.05)}`, PHONE)
    await page.waitForSelector(ready)
    const { x, y } = await middle(page)

    await page.mouse.move(x, y + 60)
    await page.mouse.down()
    await page.mouse.move(x - 71, y + 60, { steps: 5 })
    // A pause ends the movement, so that the map does not glide.
    await page.waitForTimeout(400)
    await page.mouse.up()
    await page.touchscreen.tap(x - 71, y)

    const card = page.locator('.pin-card')
    await card.waitFor()
    const box = (await card.boundingBox()) ?? { x: NaN, width: NaN }
    expect(box.x).toBeGreaterThanOrEqual(0)
    expect(box.x + box.width).toBeLessThanOrEqual(390)
  })
})

/** Runs in the page. Returns how often a map clears its canvas in a second, which it does for each frame. */
function countDrawings(): Promise<number> {
  let count = 0
  const context = WebGL2RenderingContext.prototype
  const { clear } = context
  context.clear = function (mask) {
    count++
    clear.call(this, mask)
  }
  return new Promise((resolve) => setTimeout(() => resolve(count), 1_000))
}
