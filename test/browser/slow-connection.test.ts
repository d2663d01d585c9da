import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'

import { GREEN, square } from '../helpers/factories.ts'
import { photoAt } from '../helpers/geotagged-photo.ts'
import { hasChromium, skipped, useBrowser } from './chromium.ts'

const NEAR = { lat: GREEN.lat + 0.002, lng: GREEN.lng + 0.003 }
const PHONE = {
  ...{ viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true },
  ...{ geolocation: { latitude: NEAR.lat, longitude: NEAR.lng }, permissions: ['geolocation'] },
}

/** A key moves the map for 300 ms. */
const MOVE_MS = 600

/** Holds the matching requests of a page back until the returned function is called. */
async function holdBack(page: Page, urls: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(urls, async (route) => {
    await promise
    await route.continue()
  })
  return resolve
}

describe.runIf(hasChromium)(`a slow connection${skipped}`, () => {
  const { app, origin, open } = useBrowser()
  beforeAll(() => app.create.place({ name: 'New Haven', url_name: 'new-haven', boundary: square(GREEN, 0.02) }))

  it('leaves a report its picture, the location of the device and a move of the map, before the map is complete', async () => {
    const { page } = await open('/favicon.ico', PHONE)
    const [loadLibrary, loadTiles] = [await holdBack(page, '**/maplibre-gl.mjs'), await holdBack(page, '**/tiles/issues/*/*/*')]
    const [status, lng] = [page.locator('[data-point-status]'), page.locator('[name=lng]')]
    await page.goto(`${origin}/places/new-haven/report`, { waitUntil: 'commit' })

    await page.getByText('Choose pictures').waitFor()
    await page.setInputFiles('#photo-choose', { name: 'hole.jpg', mimeType: 'image/jpeg', buffer: await photoAt(undefined) })
    await page.locator('.photo-list li').waitFor()
    await page.getByRole('button', { name: 'Use my location' }).tap()
    await expect.poll(() => status.textContent()).toContain('Spot chosen')
    expect(await lng.inputValue()).toBe(NEAR.lng.toFixed(6))
    loadLibrary()
    await expect.poll(() => status.textContent()).toContain('The spot under the cross is chosen.')
    const canvas = page.locator('#map canvas').first()
    await canvas.press('ArrowRight')
    await expect.poll(async () => Number(await lng.inputValue())).toBeGreaterThan(NEAR.lng)
    await canvas.tap({ position: { x: 60, y: 120 } })

    await expect.poll(async () => Number(await lng.inputValue())).toBeLessThan(NEAR.lng)
    expect(await page.locator('#map').getAttribute('data-state')).toBe('loading')
    loadTiles()
  })

  it.each(['/', '/report'])('shows the drawn map with a word that the map is loaded, until it is: %s', async (path) => {
    const { page } = await open('/favicon.ico')
    const loadLibrary = await holdBack(page, '**/maplibre-gl.mjs')
    await page.goto(`${origin}${path}`)

    const cover = page.locator('.map-cover')
    await cover.getByText('The map is loading').waitFor()
    expect(
      await cover.locator('img').evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
    ).toBeGreaterThan(0)
    loadLibrary()
    await page.waitForSelector('#map[data-state=ready]')

    expect(await cover.count()).toBe(0)
  })

  it('says in the form of a report that pictures from its start are not attached yet', async () => {
    const { page } = await open('/places/new-haven/report')
    await page.setInputFiles('#photo-choose', { name: 'hole.jpg', mimeType: 'image/jpeg', buffer: await photoAt(undefined) })
    await page.locator('.photo-list li').waitFor()
    const loadScript = await holdBack(page, '**/report-form*')

    await page.goto(`${origin}/report?lat=${GREEN.lat}&lng=${GREEN.lng}&type=other`, { waitUntil: 'commit' })
    const note = page.getByText('If you chose pictures before, wait until they are shown here')
    await note.waitFor()
    loadScript()

    await page.locator('.photo-list li').waitFor()
    expect(await note.isVisible()).toBe(false)
  })

  it('leaves the map its moves, before its style is there, and the area its corners, before its tiles are', async () => {
    const { page } = await open('/favicon.ico')
    const [loadStyle, loadTiles] = [await holdBack(page, '**/style.json*'), await holdBack(page, '**/tiles/issues/*/*/*')]
    const canvas = page.locator('#map canvas').first()

    await page.goto(`${origin}/?place_url=new-haven`)
    await canvas.press('ArrowRight')
    await page.waitForTimeout(MOVE_MS)
    loadStyle()
    await page.waitForURL('**view=*')
    await page.goto(`${origin}/watch`)
    const status = page.locator('[data-draw-status]')
    await expect.poll(() => status.textContent()).not.toBe('')

    // A key is lost while the browser moves the focus to the map.
    await expect
      .poll(
        async () => {
          const text = await status.textContent()
          if (!text?.includes('1 corner')) await canvas.press('Enter')
          return text
        },
        { interval: 2_000 },
      )
      .toContain('1 corner')
    expect(await page.locator('#map').getAttribute('data-state')).not.toBe('ready')
    loadTiles()
  })
})
