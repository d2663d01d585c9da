import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Frame, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { GREEN, square } from '../helpers/factories.ts'
import { hasChromium, skipped, useBrowser } from './chromium.ts'
import { findViolations } from './find-violations.ts'

describe.runIf(hasChromium)(`the map in a frame of another site${skipped}`, () => {
  const { app, origin, open } = useBrowser()
  const city = createServer(({ url = '' }, response) => {
    const line = `<iframe src="${origin}${url}" title="Issues" width="100%" height="600"></iframe>`
    response.setHeader('content-type', 'text/html').end(`<!doctype html><html lang="en"><title>City</title>${line}`)
  })
  let site: string

  beforeAll(async () => {
    await app.create.place({ name: 'New Haven', url_name: 'new-haven', boundary: square(GREEN, 0.02) })
    await app.create.issue({ summary: 'Pothole', at: GREEN })
    await new Promise<void>((resolve) => city.listen(0, '127.0.0.1', resolve))
    // Another host is another site.
    site = `http://localhost:${(city.address() as AddressInfo).port}`
  })
  afterAll(() => void city.close())

  async function openFrame(path: string, options?: Parameters<typeof open>[1]): Promise<{ page: Page; frame: Frame | undefined }> {
    const { page } = await open('/favicon.ico', options)
    await page.goto(`${site}${path}`)
    return { page, frame: page.frames()[1] }
  }

  it('is ready without cookies, and opens an issue in a new tab; its report starts with its view', async () => {
    const { page, frame } = await openFrame('/embed?place_url=new-haven')
    await frame?.waitForSelector('[data-map][data-state=ready]')

    const [opened] = await Promise.all([page.context().waitForEvent('page'), frame?.getByRole('link', { name: 'Pothole' }).click()])

    await opened.waitForURL(/\/issues\/\d+$/)
    const report = frame?.getByRole('link', { name: 'Report a problem' })
    const before = await report?.getAttribute('href')
    await frame?.locator('canvas').focus()
    await page.keyboard.press('+')
    await expect.poll(() => report?.getAttribute('href')).not.toBe(before)
    expect(await report?.getAttribute('href')).toContain('/places/new-haven/report?view=')
    expect(await page.context().cookies(origin)).toEqual([])
    expect(frame?.url()).toContain('/embed?')
  })

  it('shows the drawn map and the list without scripts, and axe finds nothing', async () => {
    const { frame } = await openFrame('/embed?place_url=new-haven', { javaScriptEnabled: false })
    const { page } = await open('/embed?place_url=new-haven', { viewport: { width: 320, height: 640 } })

    expect(await frame?.locator('.page-map img').isVisible()).toBe(true)
    expect(await frame?.getByRole('link', { name: 'Pothole' }).isVisible()).toBe(true)
    expect(await findViolations(page)).toEqual([])
  })

  it('says what is wrong with its address, and does not show a page that acts', async () => {
    const { frame: refused } = await openFrame('/embed?place_url=atlantis')
    const { frame } = await openFrame('/report')

    await expect.poll(() => frame?.url()).toMatch(/^chrome-error:/)
    expect(await refused?.locator('h1').textContent()).toBe('This address is not valid')
  })
})
