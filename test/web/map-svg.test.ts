import type { MultiPolygon } from 'geojson'
import { describe, expect, it } from 'vitest'

import { type Point, viewBox } from '../../src/geo/shapes.ts'
import { drawMap, mapSvg } from '../../src/web/map/drawn/map-svg.ts'
import { FAR_AWAY, GREEN, square } from '../helpers/factories.ts'

const multi = (around: Point, size?: number): MultiPolygon => ({
  type: 'MultiPolygon',
  coordinates: [square(around, size).coordinates],
})
const numbersIn = (text: string) =>
  [...text.matchAll(/ d="([^"]*)"/g)].flatMap(([, path = '']) => path.match(/-?\d+(\.\d+)?/g) ?? [])

describe('map SVG', () => {
  it('fits the outline into the drawing with margins', () => {
    const { width, height, layers } = drawMap({ label: '', centre: GREEN, outlines: [multi(GREEN)], width: 200, margin: 10 })

    // A square in degrees is taller than wide on the map; its height is limited to the width.
    expect([width, height]).toEqual([200, 200])
    const path = / d="([^"]*)"/.exec(String(layers))?.[1] ?? ''
    const corners = path
      .replace(/[MZ]/g, '')
      .split('L')
      .map((corner) => corner.split(' ').map(Number))
    expect(Math.min(...corners.map(([, y = 0]) => y))).toBeCloseTo(10, 0)
    expect(Math.max(...corners.map(([, y = 0]) => y))).toBeCloseTo(190, 0)
  })

  it('has a margin around a visible box, so that no point at its edge is cut off', () => {
    const view = { west: -73, south: 41, east: -72, north: 42 }
    const dots = [{ id: 1, lng: -73, lat: 41, status: 'Open' as const }]
    const [close, apart] = [0, 24].map((margin) => {
      const drawing = drawMap({ label: '', centre: GREEN, view, outlines: [], dots, width: 200, margin })
      return Number(/d="M([\d.]+) /.exec(String(drawing.layers))?.[1])
    }) as [number, number]

    expect(apart - close).toBeGreaterThan(12)
    expect(apart).toBeGreaterThanOrEqual(24)
  })

  it('draws north at the top and east at the right', () => {
    const dot = (id: number, lng: number, lat: number) => ({ id, lng, lat, status: 'Open' as const })
    const { layers } = drawMap({
      label: '',
      centre: GREEN,
      outlines: [multi(GREEN)],
      dots: [dot(1, GREEN.lng - 0.05, GREEN.lat + 0.05), dot(2, GREEN.lng + 0.05, GREEN.lat - 0.05)],
      width: 200,
    })

    const [northWest = [], southEast = []] = [...String(layers).matchAll(/M([\d.]+) ([\d.]+)h0/g)].map(([, x, y]) => [
      Number(x),
      Number(y),
    ])
    expect(northWest[0]).toBeLessThan(southEast[0] ?? 0)
    expect(northWest[1]).toBeLessThan(southEast[1] ?? 0)
  })

  it('draws open issues last, each status with its shape, and each point once', () => {
    const dots = (['Open', 'Open', 'Closed', 'Acknowledged', 'Closed', 'Archived'] as const).map((status, id) => ({
      id,
      ...GREEN,
      status,
    }))
    const drawing = String(drawMap({ label: '', centre: GREEN, outlines: [multi(GREEN)], dots, width: 200 }).layers)

    expect(
      [...drawing.matchAll(/class="dots (\w+)" d="M[\d.]+ [\d.]+([hl][^"]*)"/g)].map(([, status, line]) => [status, line]),
    ).toEqual([
      ['archived', 'h.1'],
      ['closed', 'h.1'],
      ['acknowledged', 'l.1.1'],
      ['open', 'h0'],
    ])
  })

  it.each<[string, Point]>([
    ['on the antimeridian', { lng: 180, lat: -17 }],
    ['at the north pole', { lng: 0, lat: 90 }],
    ['at the south pole', { lng: 12, lat: -90 }],
    ['far away', FAR_AWAY],
  ])('draws a neighbourhood %s with real numbers', (_, pin) => {
    const drawing = mapSvg({
      label: 'Here',
      centre: pin,
      view: viewBox(pin, 15),
      outlines: [multi({ lng: pin.lng, lat: Math.sign(pin.lat) * Math.min(80, Math.abs(pin.lat)) }, 0.01)],
      dots: [{ id: 1, ...pin, status: 'Open' }],
      pin,
      rings_m: [500],
      width: 200,
    })

    expect(String(drawing)).not.toMatch(/NaN|Infinity/)
    expect(numbersIn(String(drawing)).length).toBeGreaterThan(0)
  })

  it('draws a place across the antimeridian as one piece', () => {
    const east: MultiPolygon = multi({ lng: 179, lat: -17 }, 1)
    const west: MultiPolygon = multi({ lng: -179, lat: -17 }, 1)
    const { layers } = drawMap({ label: '', centre: { lng: 179.5, lat: -17 }, outlines: [east, west], width: 400, margin: 0 })

    const xs = [...String(layers).matchAll(/[ML]([\d.-]+) /g)].map(([, x]) => Number(x))
    expect(Math.min(...xs)).toBeCloseTo(0, 0)
    expect(Math.max(...xs)).toBeCloseTo(400, 0)
    expect(xs).toContain(200)
  })

  it('names a street once along its line, from left to right, without covering the pin, a place or another street', () => {
    const box = viewBox(GREEN, 16)
    const street = (name: string, positions: readonly [number, number][]) =>
      ({ kind: 'main', name, isRing: false, positions }) as const
    const [middle, north] = [GREEN.lat, GREEN.lat + (box.north - GREEN.lat) / 2]
    const { layers } = drawMap({
      label: '',
      centre: GREEN,
      view: box,
      outlines: [],
      streets: [
        street('Elm Street', [
          [box.east, middle],
          [box.west, middle],
        ]),
        street('Elm Street', [
          [box.west, north],
          [box.east, north],
        ]),
        street('Behind Elm Street', [
          [box.west, middle + 1e-6],
          [GREEN.lng, middle + 1e-6],
        ]),
        street('Bent', [
          [GREEN.lng, box.south],
          [GREEN.lng + 1e-5, box.south + 5e-5],
          [GREEN.lng + 5e-5, box.south],
        ]),
      ],
      pin: GREEN,
      labels: { names: [{ name: 'Westville', lng: (box.west + GREEN.lng) / 2, lat: middle, is_wide: true }] },
      width: 720,
    })

    const found = [...String(layers).matchAll(/class="street-line" d="M([^"]*)".*?<textPath [^>]*>([^<]*)</g)]
    expect(found.map(([, , name]) => name)).toEqual(['Elm Street'])
    const xs = (found[0]?.[1] ?? '').split('L').map((xy) => Number(xy.split(' ')[0]))
    expect(xs).toEqual(xs.toSorted((one, other) => one - other))
    expect(xs.every((x) => Math.abs(x - 360) > 18)).toBe(true)
  })

  it('escapes its label', () => {
    const drawing = mapSvg({ label: '"><script>', centre: GREEN, outlines: [multi(GREEN)], width: 100 })

    expect(String(drawing)).toContain('aria-label="&quot;&gt;&lt;script&gt;"')
  })
})
