import type { Page, Route } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'

import { GREEN, square } from '../helpers/factories.ts'
import { hasChromium, skipped, useBrowser } from './chromium.ts'

const unavailable = (route: Route) => route.fulfill({ status: 503 })
const abort = (route: Route) => route.abort()
const ready = '#map[data-state=ready]'

describe.runIf(hasChromium)(`a connection on which requests fail${skipped}`, () => {
  const { app, origin, open } = useBrowser()
  beforeAll(async () => {
    await app.create.place({ name: 'New Haven', url_name: 'new-haven', boundary: square(GREEN, 0.02) })
    await app.create.issue({ summary: 'Pothole', at: GREEN })
  })

  /** Opens a page of which the first request that matches each pattern is answered by the function. */
  async function openWith(path: string, patterns: readonly string[], answer: (route: Route) => Promise<void>) {
    const opened = await open('/favicon.ico')
    for (const pattern of patterns) await opened.page.route(pattern, answer, { times: 1 })
    await opened.page.goto(`${origin}${path}`)
    return opened
  }
  const failure = (page: Page) => page.locator('#map-failure')

  it('loads the sources of a map again at the next move, and says until then that a part of it is missing', async () => {
    const sources = ['**/tiles/issues.json', '**/map/land.json*']
    const { page, requests } = await openWith('/?place_url=new-haven', sources, unavailable)
    await page.waitForSelector(ready)
    expect(await failure(page).textContent()).toMatch(/^Part of the map could not be loaded\./)
    const before = requests.length

    await page.locator('#map canvas').first().press('ArrowRight')

    await expect.poll(() => failure(page).isVisible()).toBe(false)
    const asked = requests.slice(before)
    expect(asked).toEqual(expect.arrayContaining(['/tiles/issues.json', '/map/land.json']))
    expect(asked.some((path) => /^\/tiles\/issues\/\d/.test(path))).toBe(true)
  })

  it.each([
    ['its style', '**/map/style.json*', unavailable],
    ['its worker', '**/maplibre-gl-worker.mjs', abort],
  ])('shows a drawn map instead of one without %s', async (_part, pattern, answer) => {
    const { page } = await openWith('/places/new-haven/report', [pattern], answer)
    await page.locator('.drawn-images input:visible').waitFor()
    await page.route(pattern, answer, { times: 1 })
    await page.goto(`${origin}/watch`)
    await page.locator('#map > img').waitFor()
    await page.route(pattern, answer, { times: 1 })
    await page.goto(`${origin}/`)
    await page.locator('#map > img').waitFor()

    expect(await failure(page).isVisible()).toBe(false)
  })

  it('shows a drawn map instead of the empty one of a script that was not loaded', async () => {
    const { page } = await openWith('/places/new-haven/report', ['**/photo-place.ts'], abort)
    await page.locator('.drawn-images input:visible').click()
    await page.waitForURL('**view=*')
    await page.route('**/issue-list.ts', abort, { times: 1 })
    await page.goto(`${origin}/`)
    await page.locator('#map .drawn-images input:visible').waitFor()
  })
})
