import { mkdtempSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { GREEN, square } from '../helpers/factories.ts'
import { isLong } from '../helpers/long.ts'
import { freePort } from '../kill/servers.ts'
import { writePmtiles } from '../web/basemap/write-pmtiles.ts'
import { hasChromium, skipped, useBrowser } from './chromium.ts'

const port = await freePort()
const server = `http://127.0.0.1:${port}`
const ready = '#map[data-state=ready]'
const style = {
  version: 8,
  sources: { streets: { type: 'vector', url: '/streets.json' } },
  layers: [
    { id: 'background', type: 'background', paint: { 'background-color': '#ffeecc' } },
    { id: 'roads', type: 'line', source: 'streets', 'source-layer': 'roads' },
  ],
}
const streets = { tilejson: '3.0.0', tiles: [`${server}/{z}/{x}/{y}.pbf`], attribution: '© Streets of the City', maxzoom: 14 }

describe.runIf(hasChromium)(`a base map of another server${skipped}`, () => {
  let opened: Server
  let hasTiles = true
  beforeAll(async () => {
    opened = createServer(({ url }, response) => {
      response.setHeader('access-control-allow-origin', '*')
      if (url === '/style.json') return response.end(JSON.stringify(style))
      if (url === '/streets.json') return response.end(JSON.stringify(streets))
      return response.writeHead(hasTiles ? 200 : 500).end()
    })
    await new Promise<void>((resolve) => opened.listen(port, '127.0.0.1', resolve))
  })
  afterAll(() => opened.close())
  const { app, open } = useBrowser({ BASEMAP_STYLE_URL: `${server}/style.json` })
  beforeAll(() => app.create.place({ name: 'New Haven', url_name: 'new-haven', boundary: square(GREEN, 0.02) }))

  it('is shown with its attribution, within the security policy', async () => {
    hasTiles = true
    const { page, complaints } = await open('/?place_url=new-haven')

    await page.waitForSelector(ready)

    expect(await page.locator('.maplibregl-ctrl-attrib').textContent()).toContain('© Streets of the City')
    expect(complaints.filter((complaint) => !complaint.startsWith(`request to ${server}/`))).toEqual([])
    expect(complaints.some((complaint) => complaint.endsWith('.pbf'))).toBe(true)
  })

  it.runIf(isLong)('is replaced by the own one if a browser cannot load it, without a message', async () => {
    hasTiles = false
    const { page, requests } = await open('/?place_url=new-haven')

    await page.waitForSelector(ready)

    await expect.poll(() => page.locator('.maplibregl-ctrl-attrib').textContent()).toContain('Natural Earth')
    expect(requests).toContain('/map/land.json')
    expect(await page.locator('#map-failure').isVisible()).toBe(false)
  })
})

describe.runIf(hasChromium && isLong)(`a base map of a PMTiles file${skipped}`, () => {
  const file = join(mkdtempSync(join(tmpdir(), 'basemap-')), 'city.pmtiles')
  writePmtiles(file, [{ z: 0, x: 0, y: 0, content: Buffer.alloc(0) }], { attribution: '© OpenStreetMap' })
  const { open } = useBrowser({ BASEMAP_PMTILES: file })

  it('is loaded from this service only', async () => {
    const { page, complaints, requests } = await open('/')

    await page.waitForSelector(ready)

    expect(requests).toContain('/basemap/0/0/0.mvt')
    expect(await page.locator('.maplibregl-ctrl-attrib').textContent()).toContain('© OpenStreetMap')
    expect(complaints).toEqual([])
  })
})
