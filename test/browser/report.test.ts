import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { FAR_AWAY, GREEN, square, type TestUser } from '../helpers/factories.ts'
import { photoAt } from '../helpers/geotagged-photo.ts'
import { isLong } from '../helpers/long.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { hasChromium, skipped, useBrowser } from './chromium.ts'

const PHONE = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true } as const
const NEAR = { lat: GREEN.lat + 0.002, lng: GREEN.lng + 0.003 }
/** `npm run test:long` has the animations of the map. */
const ANIMATION_MS = 2_500
const ready = '#map[data-state=ready]'

describe.runIf(hasChromium)(`a report in a browser${skipped}`, () => {
  const { app, origin, open } = useBrowser()
  let ada: TestUser

  beforeAll(async () => {
    ada = await app.create.user({ name: 'Ada Park' })
    await app.create.place({ name: 'New Haven', url_name: 'new-haven', boundary: square(GREEN, 0.02) })
    await app.create.place({ name: 'Elsewhere', url_name: 'elsewhere', boundary: square(FAR_AWAY, 0.02) })
    await app.create.issue({ summary: 'Old hole', at: NEAR })
  })

  const status = (page: Page) => page.locator('[data-point-status]').textContent()
  const chosen = async (page: Page) => ({
    lat: Number(await page.locator('[name=lat]').inputValue()),
    lng: Number(await page.locator('[name=lng]').inputValue()),
  })
  const lastIssue = () =>
    queryRows<{ summary: string; lat: number; lng: number }>(
      app.db,
      sql`SELECT i.summary, i.lat, i.lng FROM issues i ORDER BY i.id DESC LIMIT 1`,
    )

  it('is made with a click on the map and a picture from the start', async () => {
    const { page, complaints } = await open('/places/new-haven/report', { as: ada })
    await page.waitForSelector(ready)
    expect(await page.locator('.photos').isVisible()).toBe(true)
    expect(await page.locator('[name=lat]').isVisible()).toBe(false)

    await page.setInputFiles('#photo-choose', { name: 'hole.jpg', mimeType: 'image/jpeg', buffer: await photoAt(undefined) })
    await expect.poll(() => page.locator('[data-photo-status]').textContent()).toContain('has no location')
    await page.locator('#map canvas').first().click()
    await expect.poll(() => status(page)).toContain('Spot chosen')
    const point = await chosen(page)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.locator('.photo-list canvas').waitFor()
    await page.getByLabel('What is broken?').fill('Deep hole')
    await page.keyboard.press('Enter')
    await page.locator('.photo-list canvas').waitFor()
    await page.getByRole('link', { name: 'Other', exact: true }).click()
    await page.getByText('The pictures that you chose before are attached.').waitFor()
    expect(await page.getByLabel('What is the problem?').inputValue()).toBe('Deep hole')
    await page.getByLabel('Address or description of the place').fill('1 Elm Street')
    await page.getByRole('button', { name: 'Send the report' }).click()

    await page.waitForURL('**/issues/*?reported=now')
    expect(await page.locator('img.photo').count()).toBe(1)
    expect(await lastIssue()).toEqual([{ summary: 'Deep hole', ...point }])
    expect(Math.abs(point.lat - GREEN.lat) + Math.abs(point.lng - GREEN.lng)).toBeLessThan(0.02)
    expect(complaints).toEqual([])

    const { page: map } = await open('/?place_url=new-haven', { webGl: false })
    expect(await map.locator('#issues h3').allTextContents()).toContain('Deep hole')
  })

  it.runIf(isLong)('keeps its pictures over a reload and an error, and says that a connection is missing', async () => {
    const { page } = await open('/report', { as: ada })
    await page.waitForSelector(ready)
    await page.setInputFiles('#photo-choose', { name: 'hole.jpg', mimeType: 'image/jpeg', buffer: await photoAt(undefined) })
    await page.locator('.photo-list li').waitFor()
    await page.goto(`${origin}/report?lat=${NEAR.lat}&lng=${NEAR.lng}&type=other&words=Wide+hole`)
    const send = page.getByRole('button', { name: 'Send the report' })
    const pictures = page.locator('.photo-list li')

    await page.getByText('The pictures that you chose before are attached.').waitFor()
    await page.getByLabel('Add a picture').setInputFiles({ name: 'close.jpg', mimeType: 'image/jpeg', buffer: await photoAt(NEAR) })
    await expect.poll(() => pictures.allTextContents()).toEqual(['hole.jpgRemove', 'close.jpgRemove'])
    await page.reload()
    await expect.poll(() => pictures.allTextContents()).toEqual(['hole.jpgRemove', 'close.jpgRemove'])
    await page.getByLabel('Address or description of the place').fill('   ')
    await send.click()
    await page.getByText('The form has errors.').waitFor()
    await expect.poll(() => pictures.count()).toBe(2)
    expect(await page.locator('.field-error').allTextContents()).toHaveLength(1)
    await page.getByRole('button', { name: 'Remove: close.jpg' }).click()
    await expect.poll(() => pictures.allTextContents()).toEqual(['hole.jpgRemove'])
    await page.getByLabel('Address or description of the place').fill('2 Elm Street')
    await page.route('**/report', (route) => route.abort())
    await send.click()
    await page.getByText('The report waits on this device').waitFor()
    await page.unroute('**/report')
    await send.click()

    await page.waitForURL('**/issues/*?reported=now')
    expect(await page.locator('img.photo').count()).toBe(1)
    expect(await lastIssue()).toMatchObject([{ summary: 'Wide hole' }])
  })

  it.runIf(isLong)('keeps its texts if a picture is too large, with and without scripts', async () => {
    const form = `/report?lat=${NEAR.lat}&lng=${NEAR.lng}&type=other`
    const picture = { name: 'hole.jpg', mimeType: 'image/jpeg', buffer: Buffer.alloc(21 * 1024 * 1024, 1) }
    const { page: scripted } = await open(form)
    const { page: plain } = await open(form, { javaScriptEnabled: false, locale: 'es' })
    for (const page of [scripted, plain]) {
      await page.locator('[name="answers[summary]"]').fill('Deep hole')
      await page.locator('[name=address]').fill('1 Elm Street')
      await page.locator('input[type=file][multiple]').first().setInputFiles(picture)
    }
    await plain.locator('form[data-report] button:not([type])').click()

    await scripted.getByText('hole.jpg is larger than 20 MB: choose a smaller picture.').waitFor()
    expect(await scripted.getByRole('button', { name: 'Continue' }).isEnabled()).toBe(true)
    await plain.getByText('«hole.jpg» pesa más de 20 MB: elige una imagen más pequeña').first().waitFor()
    for (const page of [scripted, plain]) {
      expect(await page.locator('[name="answers[summary]"]').inputValue()).toBe('Deep hole')
      expect(await page.locator('[name=address]').inputValue()).toBe('1 Elm Street')
    }
  })

  it.runIf(isLong).each(['en', 'es', 'fr'])('shows a whole example of words for the type on a phone: %s', async (locale) => {
    const { page } = await open(`/report?lat=${NEAR.lat}&lng=${NEAR.lng}`, { locale, viewport: { width: 320, height: 800 } })
    const [words, room] = await page.locator('#words').evaluate((field: HTMLInputElement) => {
      const { font, paddingLeft, paddingRight } = getComputedStyle(field)
      const canvas = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D
      canvas.font = font
      return [canvas.measureText(field.placeholder).width, field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)]
    })

    expect(words).toBeLessThanOrEqual(room ?? 0)
  })

  it('can be a vote for one of the same kind instead', async () => {
    const grace = await app.create.user({ name: 'Grace Hill' })
    const type = await app.create.requestType({ title: 'Street light out', category: 'street-light' })
    const lamp = await app.create.issue({ summary: 'Dark lamp', at: NEAR, request_type: type, reporter: grace })
    const { page } = await open(`/report?lat=${NEAR.lat}&lng=${NEAR.lng}`, { as: ada })

    await page.getByLabel('What is broken?').fill('the lamp is off')
    await page.keyboard.press('Enter')
    await page.locator('.matches').getByRole('link', { name: 'Street light out' }).click()
    await page.getByRole('button', { name: 'It’s this one: Dark lamp' }).click()

    await page.waitForURL(`**/issues/${lamp}#part`)
    expect(await page.getByRole('button', { name: 'Unfollow' }).count()).toBe(1)
  })

  it('is placed under the cross on a phone, at the place of the picture if one likes', async () => {
    const { page, complaints } = await open('/places/new-haven/report', PHONE)
    await page.waitForSelector(ready)
    expect(await status(page)).toContain('Move the map until the cross is on the spot, or tap the spot.')
    expect(await page.locator('.map-cross').isVisible()).toBe(true)
    expect(await page.locator('#photo-take').getAttribute('capture')).toBe('environment')
    expect(await page.getByText('Take a picture').isVisible()).toBe(true)

    await page.setInputFiles('#photo-take', { name: 'photo.jpg', mimeType: 'image/jpeg', buffer: await photoAt(NEAR) })
    const offer = page.getByRole('button', { name: 'Use the location of the picture' })
    await offer.waitFor()
    const [offered, button] = [await offer.boundingBox(), await page.getByRole('button', { name: 'Continue' }).boundingBox()]
    expect((offered?.y ?? 0) + (offered?.height ?? 0)).toBeLessThanOrEqual(button?.y ?? 0)
    expect(button?.y).toBeLessThan(PHONE.viewport.height)
    await offer.tap()
    await expect.poll(() => status(page)).toContain('The spot under the cross is chosen.')
    const point = await chosen(page)

    expect(Math.abs(point.lat - NEAR.lat) + Math.abs(point.lng - NEAR.lng)).toBeLessThan(0.0001)
    if (isLong) await page.waitForTimeout(ANIMATION_MS)
    await page.mouse.move(200, 300)
    await page.mouse.down()
    await page.mouse.move(140, 300, { steps: 4 })
    await page.mouse.up()
    await expect.poll(async () => (await chosen(page)).lng).toBeGreaterThan(point.lng + 0.0001)
    await page.getByRole('button', { name: 'Continue' }).tap()
    await page.waitForURL('**/report?lat=*&lng=*')
    expect(complaints).toEqual([])
  })

  it.runIf(isLong)('is placed where the cross is when a phone comes from the map, and where one taps', async () => {
    const { page } = await open(`/places/new-haven/report?view=16/${NEAR.lat}/${NEAR.lng}`, PHONE)
    await page.waitForSelector(ready)

    await expect.poll(() => status(page)).toContain('The spot under the cross is chosen. Continue, or move the map')
    const start = await chosen(page)
    await page
      .locator('#map canvas')
      .first()
      .tap({ position: { x: 300, y: 120 } })
    await expect.poll(async () => (await chosen(page)).lng).toBeGreaterThan(start.lng + 0.0005)
    await page.getByRole('button', { name: 'Continue' }).tap()

    await page.waitForURL('**/report?lat=*&lng=*')
    expect(Math.abs(start.lat - NEAR.lat) + Math.abs(start.lng - NEAR.lng)).toBeLessThan(0.00001)
  })

  it('is placed closer before a finger would be wrong by a street: by taps, or by the button that continues', async () => {
    const { page } = await open(`/report?view=8/${NEAR.lat}/${NEAR.lng}`, PHONE)
    await page.waitForSelector(ready)
    const latitude = page.locator('[name=lat]')

    const first = await status(page)
    await page.locator('#map canvas').first().tap()
    await expect.poll(() => status(page)).toContain('Zoom in further, or tap the spot, to choose it exactly.')
    const afterTap = await latitude.inputValue()
    await page.getByRole('button', { name: 'Continue' }).tap()
    await expect.poll(() => status(page)).toContain('The spot under the cross is chosen.')

    expect({ first, afterTap }).toEqual({ first: 'Zoom in further, or tap the spot, to choose it exactly.', afterTap: '' })
    expect(Math.abs(Number(await latitude.inputValue()) - NEAR.lat)).toBeLessThan(0.05)
  })

  it('is not placed from a view of the whole country, which asks for a city first', async () => {
    const { page } = await open('/report?view=3/38/-97', PHONE)
    await page.waitForSelector(ready)

    await page.getByRole('button', { name: 'Continue' }).tap()

    expect(await status(page)).toContain('Choose your city')
    expect([await page.locator('[name=lat]').inputValue(), await page.locator('.map-cross').isVisible()]).toEqual(['', false])
  })

  it.runIf(isLong)('is placed at the position of the device', async () => {
    const { page } = await open('/places/new-haven/report', {
      geolocation: { latitude: NEAR.lat, longitude: NEAR.lng },
      permissions: ['geolocation'],
    })
    await page.waitForSelector(ready)

    await page.getByRole('button', { name: 'Use my location' }).click()
    await expect.poll(() => status(page)).toContain('Spot chosen')

    expect(await chosen(page)).toEqual({ lat: Number(NEAR.lat.toFixed(6)), lng: Number(NEAR.lng.toFixed(6)) })
  })

  it('says at once that a spot is outside of the place', async () => {
    const { page } = await open(`/places/new-haven/report?view=16/${FAR_AWAY.lat}/${FAR_AWAY.lng}`)
    await page.waitForSelector(ready)

    await page.locator('#map canvas').first().click()

    await page.getByText('This spot is not in New Haven.').waitFor()
    await page.getByRole('link', { name: 'report it in Elsewhere' }).click()
    await page.waitForURL('**/places/elsewhere/report?lat=*')
  })

  it.each([
    ['scripts', { javaScriptEnabled: false }],
    ['WebGL', { webGl: false }],
    ['scripts on a phone', { ...PHONE, javaScriptEnabled: false }],
  ])('is placed on a drawn map without %s', async (_without, options) => {
    const { page, complaints } = await open('/places/new-haven/report', options)
    const image = page.locator('.drawn-images input:visible')
    expect(await image.count()).toBe(1)
    expect(await page.getByLabel('Latitude').isVisible()).toBe(false)

    for (let clicks = 0; clicks < 2; clicks++) {
      const { width = 0, height = 0 } = (await image.boundingBox()) ?? {}
      await image.click({ position: { x: width * 0.5, y: height * 0.4 } })
      await page.waitForURL('**y=*')
      await page.getByRole('link', { name: 'Other', exact: true }).waitFor()
    }
    await page.getByRole('button', { name: 'Move east' }).click()
    await page.getByRole('button', { name: 'Use the centre' }).click()
    await page.waitForURL('**go=centre*')
    await page.getByRole('link', { name: 'Other', exact: true }).click()

    await page.getByLabel('What is the problem?').waitFor()
    const at = new URL(page.url()).searchParams
    expect(Number(at.get('lat'))).toBeGreaterThan(GREEN.lat + 0.0005)
    expect(Number(at.get('lng'))).toBeGreaterThan(GREEN.lng + 0.001)
    expect(complaints).toEqual([])
  })

  it('is placed on a drawn map by keyboard alone', async () => {
    const { page } = await open('/places/new-haven/report', { javaScriptEnabled: false })

    for (let n = 0; n < 2; n++) {
      await page.getByRole('button', { name: 'Zoom in' }).focus()
      await page.keyboard.press('Enter')
      await page.waitForURL('**go=in*')
    }
    await page.locator('.drawn-images input:visible').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Other', exact: true }).waitFor()
  })

  it.runIf(isLong)('starts with the view of the map', async () => {
    const { page } = await open('/?place_url=new-haven')
    await page.waitForSelector(ready)
    await page.locator('#map canvas').first().focus()
    await page.keyboard.press('=')
    await expect
      .poll(() => page.locator('#map-report a').getAttribute('href'))
      .toMatch(/\/report\?view=1\d\.\d+%2F41\.\d+%2F-72\.\d+$/)
  })
})
