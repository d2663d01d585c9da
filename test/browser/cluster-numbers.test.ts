import type { Map as MapLibreMap } from 'maplibre-gl'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'

import { encodeTile } from '../../src/tiles/encode-tile.ts'
import { COUNTS } from '../../src/web/map/browser/issue-style/layers.ts'
import { hasChromium, skipped, useBrowser } from './chromium.ts'

const ready = '#map[data-state=ready]'
const CENTER = { lat: 0, lng: 0 }
const corners = [
  [1, 1],
  [1, -1],
  [-1, 1],
  [-1, -1],
] as const

interface DrawnNumber {
  readonly text: string
  readonly x: number
  readonly y: number
}

describe.runIf(hasChromium)(`the numbers of clusters on the map${skipped}`, () => {
  const { app, origin, open } = useBrowser()

  beforeAll(async () => {
    // Tiles of every zoom meet at this point: the clusters on its four sides are close together.
    for (const [north, east] of corners)
      for (let n = 0; n < 100; n++) {
        const distance = 0.002 * (1 + n / 10)
        await app.create.issue({ at: { lat: north * distance, lng: east * distance } })
      }
  })

  it('are apart on the tiles of the service, in the first view and when zoomed', async () => {
    const { page } = await open('/', { viewport: { width: 1280, height: 800 } })
    await page.waitForSelector(ready)
    await keepMap(page)

    const covered = []
    const counts = []
    for (const zoom of [undefined, 5, 6, 7, 8, 9, 10, 11]) {
      const numbers = await readNumbers(page, zoom)
      counts.push(numbers.length)
      for (const [index, one] of numbers.entries())
        for (const other of numbers.slice(index + 1)) if (isCovered(one, other)) covered.push({ zoom, one, other })
    }

    expect(counts.every((count) => count > 0)).toBe(true)
    expect(covered).toEqual([])
  })

  it('are left out where the circle of more issues covers them', async () => {
    const { page } = await open('/places', { viewport: { width: 1280, height: 800 } })
    await page.route('**/tiles/issues/*/*/*.mvt*', (route) =>
      route.fulfill({ body: closeClusters, contentType: 'application/vnd.mapbox-vector-tile' }),
    )
    await page.goto(`${origin}/`)
    await page.waitForSelector(ready)
    await keepMap(page)

    const numbers = await readNumbers(page, 8)

    expect(numbers.length).toBeGreaterThan(0)
    expect([...new Set(numbers.map(({ text }) => text))].toSorted()).toEqual(['700', '900'])
  })
})

/** Units of a tile in a pixel of the map. */
const PIXEL = 8
const MIDDLE = 2_048

const cluster = (count: number, right: number, down: number) => ({
  x: MIDDLE + right * PIXEL,
  y: MIDDLE + down * PIXEL,
  values: [true, count, String(count), count, 10],
})

/** A tile with four clusters around a larger one, each of which it covers partly, and another large one that only touches it. */
const closeClusters = encodeTile(
  'issues',
  ['cluster', 'point_count', 'point_count_abbreviated', 'open', 'cluster_zoom'],
  [cluster(900, 0, 0), cluster(80, 14, 0), cluster(70, -14, 0), cluster(60, 0, 12), cluster(50, 0, -12), cluster(700, 40, 0)],
)

/** The module of the page gives the test its map at the next frame. */
async function keepMap(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const script = document.querySelector<HTMLScriptElement>('script[src*="/issue-map/map-page.ts"]')
    const path = new URL('../maplibre-gl.mjs', script?.src).href
    const { Map } = (await import(path)) as { Map: { prototype: MapLibreMap } }
    const { triggerRepaint } = Map.prototype
    Map.prototype.triggerRepaint = function (this: MapLibreMap) {
      Object.assign(globalThis, { testedMap: this })
      triggerRepaint.call(this)
    }
    dispatchEvent(new Event('resize'))
  })
  await page.setViewportSize({ width: 1270, height: 800 })
  await expect.poll(() => page.evaluate(() => 'testedMap' in globalThis)).toBe(true)
}

/** Returns the numbers that the map has placed, at a zoom around the middle of the issues. */
const readNumbers = (page: Page, zoom: number | undefined): Promise<DrawnNumber[]> =>
  page.evaluate(
    async ({ zoom, layer, center }) => {
      const map = (globalThis as unknown as { testedMap: MapLibreMap }).testedMap
      if (zoom !== undefined) map.jumpTo({ zoom, center })
      await new Promise((resolve) => {
        map.once('idle', resolve)
        map.triggerRepaint()
      })
      const found = map.queryRenderedFeatures({ layers: [layer] }).map(({ geometry, properties }) => {
        const point = map.project((geometry as unknown as { coordinates: [number, number] }).coordinates)
        return { text: String(properties['point_count_abbreviated']), x: Math.round(point.x), y: Math.round(point.y) }
      })
      // A cluster at the edge of a tile is in the tile next to it, too.
      return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()]
    },
    { zoom, layer: COUNTS, center: CENTER },
  )

/** The part of its circle that a number needs: circles may touch. */
const roomOf = ({ text }: DrawnNumber) => 0.7 * (text.length > 2 ? 16 : 12)

const isCovered = (one: DrawnNumber, other: DrawnNumber): boolean =>
  Math.max(Math.abs(one.x - other.x), Math.abs(one.y - other.y)) < roomOf(one) + roomOf(other)
