import { describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import type { Point } from '../../../src/geo/shapes.ts'
import { readGround } from '../../../src/web/basemap/atlas.ts'
import { boxAround } from '../../../src/web/map/drawn/drawn-view.ts'
import { boxOf, toMultiPolygon } from '../../../src/web/map/shapes.ts'
import { GREEN, square, type TestUser } from '../../helpers/factories.ts'
import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { queryRows } from '../../helpers/query-rows.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()
const FIJI_WEST: Point = { lng: 178, lat: -18 }
const FIJI_EAST: Point = { lng: -179, lat: -17 }
const SAN_FRANCISCO: Point = { lng: -122.42, lat: 37.77 }
const around = (...points: Point[]) => points.map((point) => toMultiPolygon(square(point, 0.1)))
const round = (box: object) => Object.values(box).map((degrees) => Math.round(Number(degrees) * 10) / 10)

/** Corners of the area and of the drawing, in drawing units. */
function cornersOf(svg: string) {
  const [, width, height] = (/viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? []).map(Number)
  const paths = [...svg.matchAll(/class="area" d="([^"]*)"/g)].map(([, path = '']) => path)
  const numbers = paths.flatMap((path) => [...path.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)])
  return { width, height, xs: numbers.map(([, x]) => Number(x)), ys: numbers.map(([, , y]) => Number(y)) }
}

async function showMaps(ada: TestUser) {
  const browser = await createLoggedInBrowser(app, ada)
  const list = (await browser.get('/account/watch-areas')).text
  const [row] = await queryRows<{ id: number }>(app.db, sql`SELECT max(w.id) AS id FROM watch_areas w`)
  const { text: image } = await browser.get(`/map/drawing.svg?watch_area=${row?.id}`)
  const config = JSON.parse(/data-map="([^"]*)"/.exec(list)?.[1]?.replaceAll('&quot;', '"') ?? '{}') as { bounds: number[] }
  return { overview: /<svg class="map"[^]*?<\/svg>/.exec(list)?.[0] ?? '', image, bounds: config.bounds }
}

describe('maps of watch areas', () => {
  it.each<[string, Point[]]>([
    ['one small area', [GREEN]],
    ['areas far apart', [GREEN, SAN_FRANCISCO, FIJI_EAST]],
    ['areas on both sides of the antimeridian', [FIJI_WEST, FIJI_EAST]],
  ])('contain %s with some room and land around them', async (_, points) => {
    const ada = await app.create.user()
    for (const [index, point] of points.entries())
      await app.create.watchArea({ of: ada, area: square(point, 0.01), token: `token-${index}` })

    const { overview, image, bounds } = await showMaps(ada)

    const [west = 0, , east = 0] = bounds
    expect(west).toBeLessThan(east)
    for (const svg of [overview, image]) {
      const { width = 0, height = 0, xs, ys } = cornersOf(svg)
      expect(xs.length).toBeGreaterThan(3)
      expect(Math.min(...xs)).toBeGreaterThan(0.1 * width)
      expect(Math.max(...xs)).toBeLessThan(0.9 * width)
      expect(Math.min(...ys)).toBeGreaterThan(0)
      expect(Math.max(...ys)).toBeLessThan(height)
    }
    expect(overview).toMatch(/class="ground" d="M/)
  })

  it('show issues around the area below those in it', async () => {
    const ada = await app.create.user()
    await app.create.watchArea({ of: ada, area: square(GREEN, 0.01) })
    await app.create.issue({ at: GREEN })
    await app.create.issue({ at: { lng: GREEN.lng + 0.011, lat: GREEN.lat } })

    const { image } = await showMaps(ada)

    expect(image).toMatch(
      /<g class="around"><path class="dots open" d="M[^M"]*"\/><\/g>[^]*class="area"[^]*class="dots open" d="M[^M"]*"/,
    )
  })
})

describe('boxOf', () => {
  it('is the smallest box, also across the antimeridian', () => {
    expect(round(boxOf(around(FIJI_WEST, FIJI_EAST)) ?? {})).toEqual([177.9, -178.9, -18.1, -16.9])
    expect(round(boxOf(around(SAN_FRANCISCO, GREEN)) ?? {})).toEqual(
      round({ west: SAN_FRANCISCO.lng - 0.1, east: GREEN.lng + 0.1, south: SAN_FRANCISCO.lat - 0.1, north: GREEN.lat + 0.1 }),
    )
    expect(boxOf([])).toBeUndefined()
  })
})

describe('boxAround', () => {
  it.each([
    ['a point', { west: 10, east: 10, south: 50, north: 50 }],
    ['the world', { west: -180, east: 180, south: -90, north: 90 }],
    ['the antimeridian', { west: 179, east: -179, south: -1, north: 1 }],
  ])('is a box with a width and a height around %s', (_, box) => {
    const { west, south, east, north } = boxAround(box)

    expect((east - west + 360) % 360 || 360).toBeGreaterThan(0.01)
    expect(north - south).toBeGreaterThan(0.005)
    for (const lng of [west, east]) expect(Math.abs(lng)).toBeLessThanOrEqual(180)
  })
})

describe('readGround', () => {
  it('is in one piece across the antimeridian, and has no land at sea', async () => {
    const fiji = await readGround({ west: 176, south: -20, east: -178, north: -15 }, 720)
    const sea = await readGround({ west: -140, south: -30, east: -139, north: -29 }, 720)

    const lngs = fiji.land.flat().map(([lng = 0]) => lng)
    expect(Math.min(...lngs)).toBeGreaterThan(175)
    expect(Math.max(...lngs)).toBeGreaterThan(180)
    expect(Math.max(...lngs)).toBeLessThan(183)
    expect(sea).toEqual({ land: [], borders: [] })
  })
})
