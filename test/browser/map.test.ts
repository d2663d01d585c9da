import { beforeAll, describe, expect, it } from 'vitest'

import type { TestUser } from '../helpers/factories.ts'
import { GREEN, square } from '../helpers/factories.ts'
import { isLong } from '../helpers/long.ts'
import { hasChromium, skipped, useBrowser } from './chromium.ts'
import { countColour } from './count-colour.ts'

const NORTH = { lat: GREEN.lat + 0.004, lng: GREEN.lng }
/** Outside of the place. It is in view once the map has moved by 150 pixels. */
const EAST = { lat: GREEN.lat, lng: GREEN.lng + 0.04 }
/** A second request for the list would come within this time. */
const AFTER_MOVE_MS = 1_500
const FAR = { lat: GREEN.lat + 3, lng: GREEN.lng }

describe.runIf(hasChromium)(`the map of issues${skipped}`, () => {
  const { app, open } = useBrowser()
  let reporter: TestUser

  beforeAll(async () => {
    reporter = await app.create.user({ name: 'Ada Park' })
    await app.create.place({ name: 'New Haven', url_name: 'new-haven', boundary: square(GREEN, 0.02) })
    await app.create.issue({ summary: 'Pothole', reporter, at: GREEN, address: '250 Church St, New Haven' })
    await app.create.issue({ summary: 'Dark lamp', reporter, at: NORTH, status: 'Acknowledged' })
    await app.create.issue({ summary: 'East of the place', reporter, at: EAST })
    await app.create.issue({ summary: 'Far away', reporter, at: FAR })
  })

  const entries = async (query: string) => {
    const { body } = await app.as.anonymous.get(`/issues?${query}`)
    return (body as { metadata: { pagination: { entries: number } } }).metadata.pagination.entries
  }
  const ready = '#map[data-state=ready]'

  it('draws tiles of this service without a request to another host, and keeps filters in the address', async () => {
    const { page, complaints, requests } = await open('/?place_url=new-haven')
    await page.waitForSelector(ready)
    expect(requests.filter((path) => path.startsWith('/tiles/issues/'))).not.toEqual([])
    // Each address of the worker is 148 kB.
    expect(new Set(requests.filter((path) => path.includes('maplibre-gl-worker')))).toHaveProperty('size', 1)

    await page.getByText('Search and filters').click()
    await page.getByLabel('Search the issues').fill('lamp')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.querySelector('#issues h2')?.textContent === '1 issue')

    expect(complaints).toEqual([])
    const { page: other } = await open(new URL(page.url()).pathname + new URL(page.url()).search, { webGl: false })
    expect(await other.locator('#issues h3').allTextContents()).toEqual(['Dark lamp'])
    expect(await other.getByLabel('Search the issues').inputValue()).toBe('lamp')
  })

  it.runIf(isLong).each([
    ['the name of the city', '/?place_url=new-haven', '#26323b'],
    ['the address of an issue', `/report?view=16/${GREEN.lat}/${GREEN.lng}`, '#17212b'],
  ])('draws %s near its middle', async (_text, path, colour) => {
    const { page } = await open(path)
    await page.waitForSelector(ready)
    const { x, y, width, height } = (await page.locator('canvas').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }

    const clip = { x: x + width / 2 - 150, y: y + height / 2 - 75, width: 300, height: 150 }

    await expect.poll(() => countColour(page, clip, colour)).toBeGreaterThan(10)
  })

  it('opens an issue that is alone on a map of a region by a click', async () => {
    const { page } = await open(`/?min_lat=${FAR.lat - 1}&max_lat=${FAR.lat + 1}&min_lng=${FAR.lng - 1}&max_lng=${FAR.lng + 1}`)
    await page.waitForSelector(ready)
    const box = (await page.locator('canvas').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }

    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)

    await page.getByRole('heading', { level: 1, name: 'Far away' }).waitFor()
  })

  it('offers a report at an empty spot, and the links to a report follow the map', async () => {
    const { page } = await open(`/?lat=${GREEN.lat}&lng=${GREEN.lng}&zoom=18`)
    await page.waitForSelector(ready)
    const box = (await page.locator('canvas').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    const menu = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Report' })
    const before = await menu.getAttribute('href')

    await page.mouse.click(box.x + box.width / 2 + 100, box.y + box.height / 2)
    const offer = await page.getByRole('link', { name: 'Report here' }).getAttribute('href')
    await page.locator('canvas').focus()
    await page.keyboard.press('ArrowRight')

    const { searchParams } = new URL(offer ?? '', 'http://own.invalid')
    expect(Number(searchParams.get('lat'))).toBeCloseTo(GREEN.lat, 4)
    expect(Number(searchParams.get('lng'))).toBeGreaterThan(GREEN.lng + 0.0002)
    await expect.poll(() => menu.getAttribute('href')).not.toBe(before)
    expect(await menu.getAttribute('href')).toMatch(/\/report\?view=1\d\.\d%2F41\.\d+%2F-72\.\d+$/)
  })

  it('lists the issues of the place while it moves over it, then, without the place, those of the view, with one request and those for its tiles', async () => {
    const { page, requests } = await open('/?place_url=new-haven')
    await page.waitForSelector(ready)
    const before = requests.length
    const box = (await page.locator('canvas').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 }

    await page.mouse.move(middle.x, middle.y)
    await page.mouse.down()
    await page.mouse.move(middle.x - 150, middle.y, { steps: 6 })
    await page.mouse.up()
    await expect.poll(() => page.url()).toMatch(/\?place_url=new-haven&view=\d+\.\d%2F41\.\d+%2F-72\.\d+$/)
    expect(await page.locator('#issues h2').textContent()).toBe('2 issues')
    expect(await entries(new URL(page.url()).search.slice(1))).toBe(2)
    await page.getByRole('link', { name: 'New Haven: leave it' }).click()
    await expect.poll(() => page.locator('#issues h2').textContent()).toBe('3 issues')
    await page.waitForTimeout(AFTER_MOVE_MS)

    const asked = requests.slice(before)
    const tiles = asked.filter((path) => path.startsWith('/tiles/issues/'))
    expect(asked.filter((path) => path === '/')).toHaveLength(1)
    // The list has changed with the parts around it.
    expect(await page.locator('#map-report a:visible').count()).toBe(1)
    // The view is 3 by 3 tiles of 512 pixels at most, and 150 pixels add one column.
    expect(tiles.length).toBeLessThanOrEqual(6)
    expect(new Set(tiles).size).toBe(tiles.length)
    const address = new URL(page.url())
    expect(address.searchParams.get('place_url')).toBeNull()
    expect(await entries(address.search.slice(1))).toBe(3)
    expect(await page.getByRole('link', { name: 'New Haven: leave it' }).count()).toBe(0)
  })

  it('opens the view of a place that a link has, and leaves a place that is out of view', async () => {
    const { page } = await open(`/?place_url=new-haven&view=17.0/${NORTH.lat}/${NORTH.lng}`)
    await page.waitForSelector(ready)
    expect(await page.locator('#issues h2').textContent()).toBe('2 issues')
    const offered = await page.locator('#map-report a').getAttribute('href')
    expect(offered).toBe(`/places/new-haven/report?view=17%2F${NORTH.lat}%2F${NORTH.lng}`)

    await page.goto(page.url().replace(String(NORTH.lat), String(FAR.lat)))
    await page.waitForSelector(ready)
    await page.locator('canvas').focus()
    await page.keyboard.press('+')

    await expect.poll(() => page.url()).not.toContain('place_url')
    await expect.poll(() => page.locator('#issues h2').textContent()).toBe('1 issue')
  })

  it.each([
    ['scripts', { javaScriptEnabled: false }],
    ['WebGL', { webGl: false }],
  ])('shows a drawn map and the list without %s', async (_without, options) => {
    const { page, complaints } = await open('/?place_url=new-haven&status=open', options)

    const drawing = page.locator('#map img, .drawn-images input:visible')
    await drawing.waitFor()
    expect(await drawing.getAttribute('alt')).toContain('Drawn map of the issues')
    expect(await page.locator('#issues h3').allTextContents()).toEqual(['Pothole'])
    const svg = await app.as.anonymous.send('GET', (await drawing.getAttribute('src')) ?? '')
    expect([svg.status, svg.text]).toEqual([200, expect.stringMatching(/class="dots open" d="M[\d. ]+h0"/)])
    expect(complaints).toEqual([])
  })

  it.runIf(isLong).each([
    ['**/tiles/issues/**', 'Part of the map could not be loaded. Check your connection, then move the map.'],
    ['**/?*min_lat=*', 'The list could not be loaded. Check your connection, then move the map.'],
  ])('says what could not be loaded without %s, until it is loaded again', async (pattern, message) => {
    const { page } = await open(`/?lat=${GREEN.lat}&lng=${GREEN.lng}&zoom=14`)
    await page.waitForSelector(ready)
    const shown = page.locator('#map-failure')
    expect(await shown.isVisible()).toBe(false)

    await page.route(pattern, (route) => route.abort())
    await page.locator('canvas').focus()
    for (const key of ['-', '-', '-']) await page.keyboard.press(key)
    await expect.poll(() => shown.textContent()).toBe(message)
    expect(await shown.isVisible()).toBe(true)

    await page.unroute(pattern)
    const move = async () => {
      await page.keyboard.press('ArrowLeft')
      return shown.isVisible()
    }
    await expect.poll(move, { interval: 1_500 }).toBe(false)
  })

  it('is in the language that the user chooses', async () => {
    const { page } = await open('/', { webGl: false })

    await page.getByRole('button', { name: 'Español' }).click()

    expect(await page.locator('html').getAttribute('lang')).toBe('es')
    expect(await page.locator('h1').textContent()).toBe('¿Qué está roto aquí?')
    expect(await page.locator('#issues h2').textContent()).toBe('4 reportes')
  })
})
