import { beforeAll, describe, expect, it } from 'vitest'

import { GREEN, square } from '../helpers/factories.ts'
import { isLong } from '../helpers/long.ts'
import { hasChromium, skipped, useBrowser } from './chromium.ts'

const NORTH = { lat: GREEN.lat + 0.004, lng: GREEN.lng }
const ready = '[data-map][data-state=ready]'

describe.runIf(hasChromium)(`the map of a place, an issue or a table of features${skipped}`, () => {
  const { app, open } = useBrowser()
  let pothole: number

  beforeAll(async () => {
    const reporter = await app.create.user({ name: 'Ada Park' })
    await app.create.place({ name: 'New Haven', url_name: 'new-haven', boundary: square(GREEN, 0.02) })
    pothole = await app.create.issue({ summary: 'Pothole', reporter, at: GREEN })
    await app.create.issue({ summary: 'Dark lamp', reporter, at: NORTH, status: 'Acknowledged' })
  })

  it('shows the issues of the place with its filters, and asks no other host', async () => {
    const { page, complaints, requests } = await open('/places/new-haven?status=open')

    await page.waitForSelector(ready)

    expect(requests.some((path) => path.startsWith('/tiles/issues/'))).toBe(true)
    expect(requests).toContain('/map/outline.json')
    expect(await page.locator('.page-map > svg').isVisible()).toBe(false)
    expect(await page.locator('canvas').getAttribute('aria-label')).toBe('Map of New Haven with 1 issue as coloured dots')
    expect(complaints).toEqual([])
  })

  it('offers a report of this place at an empty spot, by a click, by keyboard and in a frame of another site', async () => {
    const { page } = await open('/places/new-haven')
    const { origin } = new URL(page.url())
    await page.waitForSelector(ready)
    await page.locator('.embedded-map canvas').focus()
    await page.keyboard.press('Enter')
    const byKeyboard = await page.getByRole('link', { name: 'Report here' }).getAttribute('href')
    await page.keyboard.press('Escape')
    const isClosed = (await page.locator('.report-offer').count()) === 0
    await page.locator('.embedded-map canvas').click({ position: { x: 30, y: 60 } })
    const byClick = await page.getByRole('link', { name: 'Report here' }).getAttribute('href')
    await page.goto(`${origin}/embed?place_url=new-haven`)
    await page.waitForSelector(ready)
    await page.locator('.embedded-map canvas').click({ position: { x: 30, y: 60 } })

    for (const href of [byKeyboard, byClick]) expect(href).toMatch(/^\/places\/new-haven\/report\?(view=16%2F|lat=)41\./)
    expect(isClosed).toBe(true)
    expect(await page.locator('.report-offer a').getAttribute('href')).toMatch(/^\/report\?(view=16%2F|lat=)41\./)
  })

  it.runIf(isLong)('has the shapes of the map in legends and badges', async () => {
    const { page } = await open('/places/new-haven')
    const shape = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => {
          const { borderRadius, transform, clipPath } = getComputedStyle(element, '::before')
          return [borderRadius, transform === 'none', clipPath === 'none']
        })

    expect(await shape('.legend .open')).toEqual(['50%', true, true])
    expect(await shape('.legend .acknowledged')).toEqual(['0px', false, true])
    expect(await shape('.cards .status.acknowledged')).toEqual(['0px', false, true])
    expect(await shape('.legend .closed')).toEqual(['0px', true, false])
  })

  it.runIf(isLong)('marks the issue of the list that has the focus', async () => {
    const { page } = await open('/places/new-haven')
    await page.waitForSelector(ready)

    await page.getByRole('link', { name: 'Dark lamp' }).focus()

    expect(await page.locator('.map-highlight').count()).toBe(1)
  })

  it.runIf(isLong)('has controls in the colours of the page in the dark scheme', async () => {
    const { page } = await open('/places/new-haven', { colorScheme: 'dark' })
    await page.waitForSelector(ready)
    const colours = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => [getComputedStyle(element).backgroundColor, getComputedStyle(element).color])

    const card = await colours('.card')

    expect(await colours('.maplibregl-ctrl-group')).toEqual(card)
    expect(await colours('.maplibregl-ctrl-attrib')).toEqual(card)
    expect((await colours('.maplibregl-ctrl-attrib a'))[1]).toBe(card[1])
  })

  it.runIf(isLong)('moves by keyboard, and leaves the wheel to the page', async () => {
    const { page, requests } = await open('/places/new-haven')
    await page.waitForSelector(ready)
    await page.mouse.move(400, 450)
    await page.mouse.wheel(0, 300)
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(0)

    const before = requests.length
    await page.locator('canvas').focus()
    for (const key of ['-', '-', '-']) await page.keyboard.press(key)

    await expect.poll(() => requests.slice(before).some((path) => path.startsWith('/tiles/issues/'))).toBe(true)
  })

  it('has a pin at the issue', async () => {
    const { page, complaints } = await open(`/issues/${pothole}`)

    await page.waitForSelector(ready)

    expect(await page.locator('.issue-pin .pin').isVisible()).toBe(true)
    expect(complaints).toEqual([])
  })

  const tables = [
    ['/ogc/collections/issues/items', 'Map of the 2 items of this page'],
    ['/ogc/collections/places/items', 'Map of the item of this page'],
  ] as const
  it.each(isLong ? tables : tables.slice(0, 1))('has the rows of the table of %s', async (path, label) => {
    const { page, complaints } = await open(path)

    await page.waitForSelector(ready)

    expect(await page.locator('canvas').getAttribute('aria-label')).toBe(label)
    expect(complaints).toEqual([])
  })

  it('leads from a table to its next page with one request', async () => {
    const { page, complaints, requests } = await open('/ogc/collections/issues/items?f=html&limit=1', { webGl: false })

    await page.locator('.pager a[rel=next]').click()
    await page.waitForURL('**/items?*cursor=*')
    await page.waitForLoadState('networkidle')

    expect(requests.filter((path) => path === '/ogc/collections/issues/items')).toHaveLength(2)
    expect(complaints).toEqual([])
  })

  it('has a table of properties that fits a phone', async () => {
    const options = { javaScriptEnabled: false, viewport: { width: 320, height: 800 } }
    const { page } = await open(`/ogc/collections/issues/items/${pothole}?f=html`, options)
    const widths = await page.locator('.properties').evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])

    expect(widths[0]).toBe(widths[1])
  })

  it.runIf(isLong)('marks the row of the issue under the pointer, whose card leads to its page', async () => {
    const { page } = await open(`/ogc/collections/issues/items?status=open`)
    await page.waitForSelector(ready)
    const box = await page.locator('canvas').boundingBox()
    const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2]

    await page.mouse.move(x, y)

    await expect.poll(() => page.locator(`tr[data-issue="${pothole}"][data-marked]`).count()).toBe(1)
    await page.mouse.click(x, y)
    await page.waitForURL(`**/ogc/collections/issues/items/${pothole}?f=html`)
  })

  it.each([
    ['scripts', { javaScriptEnabled: false }],
    ['WebGL', { webGl: false }],
  ])('stays a drawn map without %s', async (_without, options) => {
    const { page, complaints, requests } = await open(`/issues/${pothole}`, options)

    expect(await page.locator('.page-map > svg').isVisible()).toBe(true)
    expect(requests.filter((path) => path.includes('maplibre'))).toEqual([])
    expect(complaints).toEqual([])
  })

  it.runIf(isLong)('stays a drawn map if its files cannot be loaded', async () => {
    const { page } = await open('/places')
    await page.route('**/maplibre-gl.mjs', (route) => route.abort())

    const failed = page.waitForEvent('requestfailed')
    await page.goto(new URL(`/issues/${pothole}`, page.url()).href)
    await failed
    await expect.poll(() => page.locator('.embedded-map').count()).toBe(0)

    expect(await page.locator('.page-map > svg').isVisible()).toBe(true)
  })
})
