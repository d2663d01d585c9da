import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { GREEN, square, type TestUser } from '../helpers/factories.ts'
import { photoAt } from '../helpers/geotagged-photo.ts'
import { isLong } from '../helpers/long.ts'
import { createModerationScenario } from '../moderation/scenario.ts'
import { hasChromium, skipped, useBrowser } from './chromium.ts'

/* Complaints about other services, each with the answer of this one. test/README.md says where the other complaints are. */

const PHONE = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true } as const
const DESK = { viewport: { width: 1280, height: 800 } } as const
const AWAY = { lat: GREEN.lat + 0.01, lng: GREEN.lng + 0.01 }
const MANY = { lat: GREEN.lat + 1, lng: GREEN.lng + 1 }
const ISSUES = 10_000
const LONGEST_TASK_MS = 200
const CONTRAST_MIN = 4.5
const ready = '#map[data-state=ready]'
const publicPages = [
  '/',
  '/report',
  '/places',
  '/places/new-haven',
  '/questions',
  '/places/new-haven/questions',
  '/issues/1',
  '/about',
  '/login',
]

const devices = [
  ['a phone', PHONE],
  ['a desk', DESK],
] as const

describe.runIf(hasChromium)(`complaint${skipped}`, () => {
  const { app, open, origin } = useBrowser()
  const moderation = createModerationScenario(app)
  let ada: TestUser

  beforeAll(async () => {
    ada = await app.create.user({ name: 'Ada Park' })
    await app.create.place({ name: 'New Haven', url_name: 'new-haven', boundary: square(GREEN, 0.02) })
    await app.create.issue({ summary: 'Pothole', reporter: await app.create.user(), at: AWAY })
  })

  const middleOf = async (page: Page) => {
    const { x = 0, y = 0, width = 0, height = 0 } = (await page.locator('#map').boundingBox()) ?? {}
    return { x: x + width / 2, y: y + height / 2 }
  }
  const viewOf = ({ lat, lng }: typeof GREEN, zoom = 16) => `/?lat=${lat}&lng=${lng}&zoom=${zoom}`

  describe.each(isLong ? devices : devices.slice(0, 1))('at %s', (_device, options) => {
    it('“I did not see how to report”: each public page starts with the button, in strong contrast', async () => {
      const { page } = await open('/about', { ...options, webGl: false })
      const buttons = []
      for (const path of publicPages) {
        const answer = await page.goto(`${origin}${path}`, { waitUntil: 'domcontentloaded' })
        buttons.push({
          path,
          status: answer?.status(),
          ...(await page.locator('header.site a[href^="/report"]').first().evaluate(readButton)),
        })
      }

      const wrong = buttons.filter(
        ({ status, isInView, isFilled, contrast }) => status !== 200 || !isInView || !isFilled || contrast < CONTRAST_MIN,
      )
      expect(wrong).toEqual([])
    })

    it('“Just show me a map”: the first page is the map, and each page links it', async () => {
      const { page } = await open('/about', options)

      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Map' }).click()
      await page.waitForSelector(ready)

      const { height = 0 } = (await page.locator('#map canvas').boundingBox()) ?? {}
      expect(height).toBeGreaterThan(400)
      expect(await page.getByRole('dialog').count()).toBe(0)
    })
  })

  it('“Other pins hide mine”: they step back while one reports', async () => {
    const { page: map } = await open(viewOf(AWAY))
    await map.waitForSelector(ready)
    const { page: report } = await open(`/report?view=16/${AWAY.lat}/${AWAY.lng}`)
    await report.waitForSelector(ready)

    const [pin, faded] = [await colourAt(map, await middleOf(map)), await colourAt(report, await middleOf(report))]

    // Orange has little blue; a pin that steps back takes the light colour of the land.
    expect(pin.b).toBeLessThan(60)
    expect(faded.b).toBeGreaterThan(120)
  })

  it('“My picture has no place, and my draft is stuck”: the picture waits on the device for any way to choose the place', async () => {
    const { page } = await open('/report', { ...PHONE, webGl: isLong, as: ada })
    if (isLong) await page.waitForSelector(ready)
    await page.setInputFiles('#photo-take', { name: 'hole.jpg', mimeType: 'image/jpeg', buffer: await photoAt(undefined) })
    await page.getByText('has no location').waitFor()
    await page.getByRole('button', { name: 'Use my location' }).tap()
    await page.getByText('Your device did not share its location').waitFor()

    await page.reload()
    await page.locator('.photo-list li').waitFor()
    await page.getByText('Enter coordinates').tap()
    await page.getByLabel('Latitude').fill(String(GREEN.lat))
    await page.getByLabel('Longitude').fill(String(GREEN.lng))
    await page.getByRole('button', { name: 'Continue' }).tap()
    await page.getByRole('link', { name: 'Other', exact: true }).tap()

    await page.getByText('The pictures that you chose before are attached.').waitFor()
  })

  it('“I do not see my new report”: a map that was open before shows it at once, as do the list and My reports', async () => {
    const { page } = await open(viewOf(GREEN), { as: ada })
    await page.waitForSelector(ready)
    const report = { ...GREEN, address: '1 Elm Street', request_type_id: 'other', answers: { summary: 'Fresh hole' } }
    const { status } = await app.as.user(ada).send('POST', '/api/v2/issues', { body: report })
    expect(status).toBe(201)

    await page.goto(`${origin}/account/reports`)
    expect(await page.locator('h2, h3').allTextContents()).toContain('Fresh hole')
    await page.goto(`${origin}${viewOf(GREEN)}`)
    await page.waitForSelector(ready)
    expect(await page.locator('#issues h3').allTextContents()).toEqual(['Fresh hole'])
    const { x, y } = await middleOf(page)
    await page.mouse.click(x, y)

    await page.waitForURL('**/issues/*')
    expect(await page.locator('h1').textContent()).toBe('Fresh hole')
  })

  it.runIf(isLong)('“I do not see my new report”: one that waits for a review is on the map of its reporter only', async () => {
    const at = { lat: GREEN.lat - 0.01, lng: GREEN.lng - 0.01 }
    const id = await moderation.createPendingReport(ada, at)
    const { page: reporter } = await open(`/issues/${id}?reported=now`, { as: ada })
    const { page: other } = await open(viewOf(at))

    await reporter.getByRole('link', { name: 'See it on the map' }).click()
    await reporter.waitForSelector(ready)
    expect(await reporter.getByRole('region', { name: 'Your reports in review' }).getByRole('link').allTextContents()).toEqual([
      'All your reports',
      'Fucking bench',
    ])
    expect(await reporter.locator('#issues h2').textContent()).toBe('0 issues')
    expect(await other.locator('#own-held').count()).toBe(0)
    await reporter.locator('.map-held').click()

    await reporter.waitForURL(`**/issues/${id}`)
  })

  it('“The map freezes at thousands of points”: a move keeps the page responsive', async () => {
    await app.db.execute(sql`
      INSERT INTO issues (summary, lng, lat, created_at, updated_at)
      SELECT 'Issue ' || n, ${MANY.lng} + (n % 100) * 0.0004, ${MANY.lat} + (n / 100) * 0.0003, now(), now()
      FROM generate_series(1, ${ISSUES}::integer) n`)
    const { page } = await open(viewOf({ lat: MANY.lat + 0.015, lng: MANY.lng + 0.02 }, 13))
    await page.waitForSelector(ready)
    const countInView = async () => Number((await page.locator('#issues h2').textContent())?.replaceAll(/\D/g, ''))
    expect(await countInView()).toBeGreaterThan(1_000)

    // The shortest of several moves to and fro, which keep the points in view: other processes delay a task, too.
    const keys = ['ArrowRight', 'ArrowLeft']
    const move = async () => {
      const longest = page.evaluate(longestTask)
      const [key = ''] = keys.reverse()
      await page.locator('canvas').press(key)
      return longest
    }
    await expect.poll(move, { interval: 100, timeout: 60_000 }).toBeLessThan(LONGEST_TASK_MS)
    expect(await countInView()).toBeGreaterThan(1_000)
  })
})

/** Runs in the page. */
function readButton(element: HTMLElement | SVGElement) {
  const { color, backgroundColor } = getComputedStyle(element)
  const luminance = (colour: string) => {
    const [r = 0, g = 0, b = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) => {
      const value = Number(part) / 255
      return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const [darker = 0, lighter = 0] = [luminance(color), luminance(backgroundColor)].sort((a, b) => a - b)
  const { top, bottom, left, right } = element.getBoundingClientRect()
  return {
    isInView: top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth,
    isFilled: backgroundColor !== 'rgba(0, 0, 0, 0)',
    contrast: (lighter + 0.05) / (darker + 0.05),
  }
}

/** Runs in the page. Returns the milliseconds of the longest task of a second. */
function longestTask(): Promise<number> {
  return new Promise((resolve) => {
    let longest = 0
    const observer = new PerformanceObserver((list) => {
      longest = Math.max(longest, ...list.getEntries().map(({ duration }) => duration))
    })
    observer.observe({ type: 'longtask' })
    setTimeout(() => {
      observer.disconnect()
      resolve(longest)
    }, 1_000)
  })
}

async function colourAt(page: Page, { x, y }: { readonly x: number; readonly y: number }) {
  const png = await page.screenshot({ clip: { x, y, width: 1, height: 1 } })
  return page.evaluate(readPixel, [...png])
}

/** Runs in the page. */
async function readPixel(png: number[]) {
  const context = document.createElement('canvas').getContext('2d')
  context?.drawImage(await createImageBitmap(new Blob([new Uint8Array(png)])), 0, 0)
  const [r = 0, g = 0, b = 0] = context?.getImageData(0, 0, 1, 1).data ?? []
  return { r, g, b }
}
