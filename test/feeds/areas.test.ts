import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { metresBetween } from '../geo/brute-force.ts'
import { backdateChanges } from '../helpers/backdate-changes.ts'
import { GREEN, square } from '../helpers/factories.ts'
import { issuesUrl, parseIssueList, type Parameters, withoutCursor } from '../helpers/issue-list.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { childrenOf, linkOf, parseXml, textOf } from './xml.ts'
import { runs } from '../helpers/long.ts'

const feeds = ['/feeds/issues.atom', '/feeds/issues.geojson'] as const

describe('feeds of a circle or polygon', () => {
  const app = useApp({ keepRows: true })
  const issues: { id: number; lng: number; lat: number }[] = []
  const shape = { type: 'Polygon', coordinates: [square(GREEN, 0.03).coordinates[0], square(GREEN, 0.01).coordinates[0]] }
  const area = JSON.stringify(shape)

  beforeAll(async () => {
    const random = fc.sample(fc.tuple(fc.integer({ min: -60, max: 60 }), fc.integer({ min: -60, max: 60 })), {
      numRuns: 100,
      seed: 8,
    })
    for (const [east, north] of random) {
      const at = { lng: GREEN.lng + east / 1_013, lat: GREEN.lat + north / 1_013 }
      issues.push({ id: await app.create.issue({ at }), ...at })
    }
    await app.create.place({ url_name: 'new-haven', size: 0.02 })
    await app.create.watchArea({ of: await app.create.user(), area: shape, token: 'the-token' })
  })

  const idsOf = async (parameters: Parameters, feed: string) => {
    const { status, text } = await app.as.anonymous.send('GET', issuesUrl({ per_page: 100, ...parameters }, feed))
    expect(status, text).toBe(200)
    if (feed.endsWith('geojson')) return (JSON.parse(text) as { features: { id: number }[] }).features.map(({ id }) => id)
    const entries = childrenOf(parseXml(text), 'entry')
    return entries.map((entry) => Number(textOf(entry, 'id').replace(`${PUBLIC_URL}/issues/`, '')))
  }
  const sorted = (ids: readonly number[]) => ids.toSorted((a, b) => a - b)

  it('contain the issues within the radius in metres on the sphere', async () => {
    const near = fc.integer({ min: -50, max: 50 }).map((step) => step / 1_000)
    await fc.assert(
      fc.asyncProperty(near, near, fc.integer({ min: 1, max: 9_000 }), async (east, north, radius) => {
        const centre = { lng: GREEN.lng + east, lat: GREEN.lat + north }
        const distances = issues.map((issue) => [issue.id, metresBetween(centre, issue)] as const)
        fc.pre(distances.every(([, metres]) => Math.abs(metres - radius) > 0.001))
        const wanted = distances.flatMap(([id, metres]) => (metres <= radius ? [id] : []))

        for (const feed of feeds) expect(sorted(await idsOf({ ...centre, radius }, feed))).toEqual(wanted)
      }),
      runs(10),
    )
  })

  it.each(feeds)('%s contains for a polygon the issues of a watch area with the same polygon', async (feed) => {
    const list = parseIssueList(await app.as.anonymous.get('/issues?watcher_token=the-token&per_page=100'))
    const wanted = list.issues.map(({ id }) => id)

    expect(wanted.length).toBeGreaterThan(5)
    expect(wanted.length).toBeLessThan(issues.length - 5)
    expect(await idsOf({ area }, feed)).toEqual(wanted)
    const multi = JSON.stringify({ type: 'MultiPolygon', coordinates: [shape.coordinates] })
    expect(await idsOf({ area: multi, sort: 'created_at' }, feed)).toEqual(wanted)
  })

  it('measure distances from the centre of the area, or from the point that is sent with a polygon', async () => {
    const corner = { lng: GREEN.lng - 0.03, lat: GREEN.lat - 0.03 }
    const isNearestFirst = async (parameters: Parameters, from: typeof corner) => {
      const ids = await idsOf({ ...parameters, sort: 'distance' }, '/feeds/issues.geojson')
      const metres = ids.map((id) => metresBetween(from, issues.find((issue) => issue.id === id) ?? GREEN))
      expect(metres.length).toBeGreaterThan(5)
      expect(metres).toEqual(metres.toSorted((a, b) => a - b))
    }

    await isNearestFirst({ ...GREEN, radius: 4_000 }, GREEN)
    await isNearestFirst({ area, ...corner }, corner)
    const solid = JSON.stringify({ type: 'Polygon', coordinates: [square(GREEN, 0.03).coordinates[0]] })
    await isNearestFirst({ area: solid }, GREEN)
  })

  it('keep the area in the URLs of other pages, percent-encoded', async () => {
    const { text } = await app.as.anonymous.send('GET', issuesUrl({ area, per_page: 2 }, '/feeds/issues.atom'))
    const feed = parseXml(text)

    const next = `${PUBLIC_URL}/feeds/issues.atom?area=${encodeURIComponent(area)}&page=2&per_page=2`
    expect(withoutCursor(linkOf(feed, 'next'))).toBe(next)
    expect(textOf(feed, 'id')).toBe(`${PUBLIC_URL}/feeds/issues.atom?area=${encodeURIComponent(area)}`)
    const second = await app.as.anonymous.send('GET', next.replace(PUBLIC_URL, ''))
    expect(linkOf(parseXml(second.text), 'previous')).toBe(next.replace('page=2', 'page=1'))
  })

  it.each([
    [{ lat: 39.7392, lng: -104.9903, radius: 500 }, 'Issues within 500 metres of 39.7392, -104.9903'],
    [{ lat: '1.50', lng: -2, radius: '1e0', status: 'open' }, 'Issues within 1 metre of 1.5, -2: open'],
    [{ area, sort: 'rating' }, 'Issues in an area: by rating'],
  ])('have a title that describes the query: %#', async (parameters, title) => {
    const { text } = await app.as.anonymous.send('GET', issuesUrl(parameters, '/feeds/issues.geojson'))

    expect((JSON.parse(text) as { title: string }).title).toBe(title)
  })

  const circle = { ...GREEN, radius: 500 }
  it.each<[string, Parameters, Record<string, string>]>([
    ['a radius alone', { radius: 500 }, { lat: 'is required together with radius', lng: 'is required together with radius' }],
    ['a radius of zero', { ...GREEN, radius: 0 }, { radius: 'must be a number from 1 to 100000' }],
    ['a radius that is no number', { ...GREEN, radius: '500m' }, { radius: 'must be a number from 1 to 100000' }],
    ['a latitude that is no number', { ...circle, lat: 'north' }, { lat: 'must be a number from -90 to 90' }],
    [
      'a circle that reaches a pole',
      { lat: 89.9, lng: 0, radius: 20_000 },
      { radius: 'must be smaller here: the circle reaches a pole, and no map shows that' },
    ],
    ['a polygon and half a point', { area, lat: 1 }, { lng: 'is required together with lat' }],
    ['a truncated polygon', { area: area.slice(0, -3) }, { area: 'must be a GeoJSON Polygon or MultiPolygon' }],
    [
      'a point instead of a polygon',
      { area: '{"type":"Point","coordinates":[1,2]}' },
      { area: 'must be a GeoJSON Polygon or MultiPolygon, not a Point' },
    ],
    [
      'a polygon that crosses itself',
      { area: '{"type":"Polygon","coordinates":[[[0,0],[2,2],[2,0],[0,2],[0,0]]]}' },
      { area: 'crosses itself, at longitude and latitude 1 1' },
    ],
  ])('return 422 with the parameter for %s', async (_, parameters, errors) => {
    for (const feed of feeds) {
      const { status, body } = await app.as.anonymous.send('GET', issuesUrl(parameters, feed))
      expect([status, body]).toEqual([422, errors])
    }
  })

  it.each(feeds)('%s returns 422 for a repeated parameter', async (feed) => {
    for (const [query, name] of [
      ['lat=1&lng=1&radius=1&radius=2', 'radius'],
      ['area=1&area=2', 'area'],
    ] as const) {
      const { status, body } = await app.as.anonymous.send('GET', `${feed}?${query}`)
      expect([status, body]).toEqual([422, { [name]: 'must be given only once' }])
    }
  })

  it.each(feeds)('%s of a circle returns 304 until an issue in it changes', async (feed) => {
    await backdateChanges(app.db)
    const path = issuesUrl({ ...circle, per_page: 20 }, feed)
    const { headers } = await app.as.anonymous.send('GET', path)
    const since = { 'if-none-match': headers['etag'] as string }
    expect((await app.as.anonymous.send('GET', path, { headers: since })).status).toBe(304)

    issues.push({ id: await app.create.issue({ at: GREEN }), ...GREEN })

    expect((await app.as.anonymous.send('GET', path, { headers: since })).status).toBe(200)
  })
})
