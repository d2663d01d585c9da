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
const FORM = `/report?lat=${GREEN.lat}&lng=${GREEN.lng}&type=other`

/** Holds the matching requests of a page back until the returned function is called. */
async function holdBack(page: Page, urls: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(urls, async (route) => {
    await promise
    await route.continue()
  })
  return resolve
}

describe.runIf(hasChromium)(`a report over a slow connection${skipped}`, () => {
  const { app, origin, open } = useBrowser()
  beforeAll(() => app.create.place({ name: 'New Haven', url_name: 'new-haven', boundary: square(GREEN, 0.02) }))

  it('takes a picture, the location of the device and a move of the map before the map is complete', async () => {
    const { page } = await open('/favicon.ico', PHONE)
    const [loadLibrary, loadTiles] = [await holdBack(page, '**/maplibre-gl.mjs'), await holdBack(page, '**/tiles/issues/*/*/*')]
    const [status, lng] = [page.locator('[data-point-status]'), page.locator('[name=lng]')]
    await page.goto(`${origin}/places/new-haven/report`, { waitUntil: 'commit' })

    await page.getByText('Choose pictures').waitFor()
    await page.setInputFiles('#photo-choose', { name: 'hole.jpg', mimeType: 'image/jpeg', buffer: await photoAt(undefined) })
    await page.locator('.photo-list li').waitFor()
    await page.getByRole('button', { name: 'Use my location' }).tap()
    loadLibrary()
    await expect.poll(() => status.textContent()).toContain('The spot under the cross is chosen.')
    expect(await lng.inputValue()).toBe(NEAR.lng.toFixed(6))
    await page.locator('#map canvas').first().focus()
    await page.keyboard.press('ArrowRight')

    await expect.poll(async () => Number(await lng.inputValue())).toBeGreaterThan(NEAR.lng)
    expect(await page.locator('#map').getAttribute('data-state')).toBe('loading')
    loadTiles()
  })

  it('keeps the letters that were typed before the script was loaded, instead of an older text', async () => {
    const { page } = await open(FORM)
    const summary = page.getByLabel('What is the problem?')
    const note = page.locator('[data-device-draft] [role=status]')
    await note.waitFor()
    await summary.fill('Deep hole')
    const loadScript = await holdBack(page, '**/report-form*')
    await page.goto(origin + FORM, { waitUntil: 'commit' })

    await summary.fill('Broken lamp')
    loadScript()
    await expect.poll(() => note.textContent()).toContain('kept in this browser for up to 24 hours')
    expect(await summary.inputValue()).toBe('Broken lamp')
    await page.goto(origin + FORM)

    await expect.poll(() => summary.inputValue()).toBe('Broken lamp')
  })
})
