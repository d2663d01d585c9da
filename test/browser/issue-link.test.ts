import { beforeAll, describe, expect, it } from 'vitest'

import { hasChromium, skipped, useBrowser } from './chromium.ts'

/** Records what the page shares or copies: the browser has no dialog of a device. */
const recordShares = (canShare: boolean) => `
  window.shares = []
  const record = async (value) => void window.shares.push(value)
  Object.defineProperty(navigator, 'share', { value: ${canShare} ? record : undefined })
  Object.defineProperty(navigator, 'clipboard', { value: { writeText: record } })`

describe.runIf(hasChromium)(`the link of an issue${skipped}`, () => {
  const { app, origin, open } = useBrowser()
  let pothole: number
  beforeAll(async () => {
    await app.create.place()
    pothole = await app.create.issue({ summary: 'Pothole' })
  })

  it.each([
    ['shared by the device', true, [{ url: 'link', title: 'Pothole' }], 'Share'],
    ['else copied', false, ['link'], 'The link is copied.'],
  ])('is %s', async (_how, canShare, shares, message) => {
    const { page, complaints } = await open('/about', { webGl: false })
    await page.addInitScript(recordShares(canShare))
    await page.goto(`${origin}/issues/${pothole}`)
    const link = await page.locator('.share a').textContent()

    await page.getByRole('button', { name: 'Share' }).click()

    const recorded = JSON.stringify(await page.evaluate('window.shares')).replaceAll(link ?? '', 'link')
    expect(JSON.parse(recorded)).toEqual(shares)
    await expect.poll(() => page.locator('.share button').textContent()).toBe(message)
    expect(complaints).toEqual([])
  })

  it('is on paper with the number and a QR code, without buttons and forms', async () => {
    const { page } = await open(`/issues/${pothole}`, { webGl: false })
    await page.emulateMedia({ media: 'print' })

    const code = await page.locator('svg.qr').boundingBox()

    expect(code?.width).toBeGreaterThan(100)
    expect(await page.getByText(`#${pothole}`).first().isVisible()).toBe(true)
    expect(await page.locator('.share a').textContent()).toBe(`${origin}/i/${pothole.toString(36)}`)
    expect(await page.locator('.share a').isVisible()).toBe(true)
    expect(await page.locator('#printed-url').textContent()).toBe(`${origin}/issues/${pothole}`)
    expect(await page.locator('#printed-url').isVisible()).toBe(true)
    expect(await page.locator('button:visible, form:visible, header.site:visible').count()).toBe(0)
  })
})
