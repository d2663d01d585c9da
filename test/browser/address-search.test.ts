import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, it } from 'vitest'

import { hasChromium, skipped, useBrowser } from './chromium.ts'

const results = [1, 2, 3, 4, 5].map((number) => ({ lat: '41.3', lon: '-72.9', display_name: `${number} Church Street` }))
const server = createServer((_request, response) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(results)),
)
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
afterAll(() => void server.close())

const { open } = useBrowser({ GEOCODER_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })

it.runIf(hasChromium)(`the results of a search for an address are in view and have the focus on a phone${skipped}`, async () => {
  const { page } = await open('/report', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  await page.getByLabel('Address or name of the spot').fill('Church')

  await page.getByRole('searchbox').press('Enter')
  await page.waitForURL('**/report?address=Church#addresses')
  await page.waitForSelector('#map[data-state=ready]')

  const bar = await page.locator('.point-continue').boundingBox()
  const last = await page.getByRole('link', { name: '5 Church Street' }).boundingBox()
  expect(last && bar && last.y > 0 && last.y + last.height < bar.y).toBe(true)
  expect(await page.evaluate('document.activeElement.id')).toBe('addresses')
})
