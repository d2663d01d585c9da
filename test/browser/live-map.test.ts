import { describe, expect, it } from 'vitest'

import { GREEN } from '../helpers/factories.ts'
import { hasChromium, skipped, useBrowser } from './chromium.ts'

describe.runIf(hasChromium)(`the map while others report${skipped}`, () => {
  const { app, open } = useBrowser({ STREAM_SECONDS_MAX: '3600' })

  it('asks for its tiles again, and says how many reports are new without moving the list', async () => {
    const reporter = await app.create.user()
    await app.create.issue({ summary: 'Known lamp', reporter, at: GREEN })
    const { page, requests, complaints } = await open(`/?view=15/${GREEN.lat}/${GREEN.lng}`)
    await page.waitForSelector('#map[data-state=ready]')
    const before = requests.filter((path) => path.startsWith('/tiles/issues/')).length

    const news = page.locator('#map-news button')
    // The stream may begin after the first report.
    await expect
      .poll(
        async () => {
          await app.create.issue({ summary: 'New hole', reporter, at: { lng: GREEN.lng + 0.001, lat: GREEN.lat } })
          return news.count()
        },
        { interval: 2_000, timeout: 120_000 },
      )
      .toBe(1)

    expect(await news.textContent()).toMatch(/^\d+ new reports?\. Load (it|them)$/)
    expect(await page.locator('#issues h3').allTextContents()).toEqual(['Known lamp'])
    await expect.poll(() => requests.filter((path) => path.startsWith('/tiles/issues/')).length).toBeGreaterThan(before)

    await news.click()
    await page.getByRole('heading', { name: 'New hole' }).first().waitFor()
    expect(complaints).toEqual([])
  })
})
