import { describe, expect, it } from 'vitest'

import { boxOfPicture } from '../../src/web/map/issues-map-image.ts'
import { boxCentre } from '../../src/geo/shapes.ts'
import { GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()

const getMap = (ids: string) =>
  app.fastify.inject({ method: 'GET', url: `/issues/map.png?ids=${ids}`, headers: { 'user-agent': 'Mozilla/5.0' } })

describe('GET /issues/map.png', () => {
  it('draws the listed public issues as a PNG, the same with and without those that are not public', async () => {
    const [first, second] = [
      await app.create.issue({ at: GREEN }),
      await app.create.issue({ at: { lng: GREEN.lng + 0.05, lat: GREEN.lat }, status: 'Closed' }),
    ]
    const held = await app.create.issue({ at: { lng: 2, lat: 48 }, moderation_state: 'held' })

    const [both, one, all] = [
      await getMap(`${first},${second}`),
      await getMap(`${first}`),
      await getMap(`${first},${second},${held},999`),
    ]

    expect([both.statusCode, both.headers['content-type'], both.headers['cache-control']]).toEqual([
      200,
      'image/png',
      'public, max-age=300',
    ])
    expect(all.headers['etag']).toBe(both.headers['etag'])
    expect(one.headers['etag']).not.toBe(both.headers['etag'])
  })

  it('returns 404 without a public issue, and 422 for other lists', async () => {
    const held = await app.create.issue({ moderation_state: 'held' })
    const tooMany = Array.from({ length: 51 }, (_, n) => n + 1).join(',')

    const statuses = await Promise.all(
      [`${held}`, '999', '9999999999', '', 'x', '1,,2', '0', tooMany].map(async (ids) => (await getMap(ids)).statusCode),
    )

    expect(statuses).toEqual([404, 404, 404, 422, 422, 422, 422, 422])
  })
})

describe('the box of the map', () => {
  it.each([
    ['one point', [GREEN]],
    ['a street', [GREEN, { lng: GREEN.lng + 0.001, lat: GREEN.lat }]],
    ['a city', [GREEN, { lng: GREEN.lng + 0.2, lat: GREEN.lat - 0.2 }, { lng: GREEN.lng - 0.1, lat: GREEN.lat + 0.1 }]],
    ['two continents', [GREEN, { lng: 2.35, lat: 48.86 }]],
    [
      'both sides of the antimeridian',
      [
        { lng: 179.9, lat: -17 },
        { lng: -179.9, lat: -17.1 },
      ],
    ],
  ])('contains %s and is not larger than needed', (_, points) => {
    const box = boxOfPicture(points)

    const centre = boxCentre(box)
    const half = ((box.east - box.west + 360) % 360 || 360) / 2
    const offsets = points.map(({ lng }) => Math.abs(((lng - centre.lng + 540) % 360) - 180))
    const far = Math.max(...offsets) / half
    const isInside = points.every(({ lat }, n) => (offsets[n] ?? 0) < half && lat > box.south && lat < box.north)
    const high = Math.max(...points.map(({ lat }) => Math.abs(lat - centre.lat))) / ((box.north - box.south) / 2)
    expect(isInside).toBe(true)
    expect(Math.max(far, high) > 0.5 || half < 0.03).toBe(true)
  })
})
