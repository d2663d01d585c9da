import { describe, expect, it } from 'vitest'

import { issuesUrl, parseIssueList, type Parameters, fetchTitles, withoutCursor } from '../helpers/issue-list.ts'
import { FAR_AWAY, GREEN, square } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'

const boxAround = ({ lng, lat }: { lng: number; lat: number }) => ({
  min_lat: lat - 0.1,
  min_lng: lng - 0.1,
  max_lat: lat + 0.1,
  max_lng: lng + 0.1,
})

describe('GET /issues in an area', () => {
  const app = useApp()

  const titles = (parameters: Parameters) => fetchTitles(app.as.anonymous, parameters)

  async function createTwoTowns() {
    const watcher = await app.create.user()
    await app.create.issue({ summary: 'Here', at: GREEN })
    await app.create.issue({ summary: 'There', at: FAR_AWAY })
    await app.create.place({ url_name: 'here', around: GREEN })
    await app.create.place({ url_name: 'there', around: FAR_AWAY })
    await app.create.watchArea({ of: watcher, token: 'watch-there', area: square(FAR_AWAY) })
  }

  it('uses the first complete form in the documented order', async () => {
    await createTwoTowns()
    const view = { ...GREEN, zoom: 12 }
    const there = { place_url: 'there', ...boxAround(FAR_AWAY), watcher_token: 'watch-there' }

    expect(await titles({ ...view, ...there })).toEqual(['Here'])
    expect(await titles({ ...there, place_url: 'here' })).toEqual(['Here'])
    expect(await titles({ ...boxAround(GREEN), watcher_token: 'watch-there' })).toEqual(['Here'])
    expect(await titles({ watcher_token: 'watch-there' })).toEqual(['There'])
    expect(await titles({ ...GREEN, radius: 500, watcher_token: 'watch-there' })).toEqual(['There'])
    expect(await titles({ ...GREEN, radius: 500, area: JSON.stringify(square(FAR_AWAY)) })).toEqual(['Here'])
    expect(await titles({ area: JSON.stringify(square(FAR_AWAY)) })).toEqual(['There'])
    expect((await titles({})).toSorted()).toEqual(['Here', 'There'])
  })

  it('ignores unknown names, half a box and an unknown address after a complete form', async () => {
    await createTwoTowns()
    const view = { ...GREEN, zoom: 12 }

    expect(await titles({ ...view, address: 'Nowhere 1', place_url: 'atlantis', min_lat: 1, watcher_token: 'none' })).toEqual([
      'Here',
    ])
    expect(await titles({ place_url: 'here', min_lat: 1, max_lng: 2, watcher_token: 'none' })).toEqual(['Here'])
    expect(await titles({ ...boxAround(GREEN), watcher_token: 'none' })).toEqual(['Here'])
  })

  it('ignores all later forms', async () => {
    await createTwoTowns()
    const noBox = { min_lat: 'abc', min_lng: '', max_lat: 91, max_lng: '1e999' }
    const tooLong = 'x'.repeat(301)

    const later = { place_url: tooLong, ...noBox, watcher_token: tooLong, radius: 'abc', area: 'x' }
    expect(await titles({ ...GREEN, zoom: 12, address: tooLong, ...later })).toEqual(['Here'])
    expect(await titles({ place_url: 'here', ...noBox, watcher_token: 'a\0b' })).toEqual(['Here'])
    expect(await titles({ ...boxAround(GREEN), watcher_token: tooLong, radius: -1 })).toEqual(['Here'])
    expect(await titles({ watcher_token: 'watch-there', radius: 'abc', area: '{' })).toEqual(['There'])
    expect(await titles({ ...GREEN, radius: 500, area: '{' })).toEqual(['Here'])
    expect(await titles({ ...FAR_AWAY, address: '', place_url: 'here', min_lat: 'abc' })).toEqual(['Here'])
    const twice = await app.as.anonymous.get('/issues?place_url=here&watcher_token=1&watcher_token=2')
    expect(parseIssueList(twice).issues.map(({ summary }) => summary)).toEqual(['Here'])
  })

  it.each<[string, Parameters, string[]]>([
    ['in the complete form itself', { lat: 91, lng: 'x', zoom: 12, place_url: 'x'.repeat(301), min_lat: 'abc' }, ['lat', 'lng']],
    ['in an earlier, incomplete form', { lat: 'abc', place_url: 'here' }, ['lat']],
    ['after an incomplete form', { min_lat: 1, max_lat: 2, watcher_token: 'x'.repeat(301) }, ['watcher_token']],
    ['outside the complete form', { place_url: 'here', min_lat: 'abc', sort: 'up' }, ['sort']],
  ])('rejects an invalid value %s', async (_, parameters, names) => {
    await createTwoTowns()

    const { status, body } = await app.as.anonymous.get(issuesUrl(parameters))

    expect([status, Object.keys(body as object).toSorted()]).toEqual([422, names])
  })

  it('treats a blank form as not given', async () => {
    await createTwoTowns()

    expect(await titles({ place_url: '', ...boxAround(GREEN) })).toEqual(['Here'])
    expect(await titles({ ...GREEN, zoom: '', radius: 500 })).toEqual(['Here'])
    expect(await titles({ lat: '', lng: ' ', watcher_token: 'watch-there' })).toEqual(['There'])
  })

  it('keeps ignored parameters in the URLs of other pages', async () => {
    await app.create.issue({ at: GREEN })
    await app.create.issue({ at: GREEN })
    await app.create.place({ url_name: 'here' })

    const { pagination } = parseIssueList(await app.as.anonymous.get('/issues?place_url=here&min_lat=abc&per_page=1'))

    expect(withoutCursor(pagination.next_page_url)).toBe(
      'http://fixpoint.test/api/v2/issues?min_lat=abc&page=2&per_page=1&place_url=here',
    )
  })

  it('does not read a point without zoom as an area, and accepts it with a place, a box or a watch area', async () => {
    await createTwoTowns()

    expect(await titles({ ...FAR_AWAY, place_url: 'here' })).toEqual(['Here'])
    expect(await titles({ ...FAR_AWAY, ...boxAround(GREEN) })).toEqual(['Here'])
    expect(await titles({ ...GREEN, watcher_token: 'watch-there' })).toEqual(['There'])
    expect(await titles({ ...FAR_AWAY, sort: 'distance' })).toEqual(['There', 'Here'])
  })

  it('measures distances from the point of the query, else from the centre of the area', async () => {
    await app.create.issue({ summary: 'Middle', at: GREEN })
    await app.create.issue({ summary: 'West', at: { lng: GREEN.lng - 0.05, lat: GREEN.lat } })
    await app.create.issue({ summary: 'East', at: { lng: GREEN.lng + 0.09, lat: GREEN.lat } })
    await app.create.place({ url_name: 'here', around: GREEN })
    const fromEast = { lng: GREEN.lng + 0.09, lat: GREEN.lat }
    const sorted = { sort: 'distance' }

    expect(await titles({ ...boxAround(GREEN), ...sorted })).toEqual(['Middle', 'West', 'East'])
    expect(await titles({ place_url: 'here', ...sorted })).toEqual(['Middle', 'West', 'East'])
    expect(await titles({ place_url: 'here', ...fromEast, ...sorted })).toEqual(['East', 'Middle', 'West'])
    expect(await titles({ ...boxAround(GREEN), ...sorted, sort_direction: 'DESC' })).toEqual(['East', 'West', 'Middle'])
    expect(await titles({ ...GREEN, radius: 20_000, ...sorted })).toEqual(['Middle', 'West', 'East'])
    const area = JSON.stringify(square(GREEN, 0.2))
    expect(await titles({ area, ...sorted })).toEqual(['Middle', 'West', 'East'])
    expect(await titles({ area, ...fromEast, ...sorted })).toEqual(['East', 'Middle', 'West'])
  })

  it('measures from the centre of a box that crosses the antimeridian', async () => {
    await app.create.issue({ summary: 'Left', at: { lng: 179, lat: 0 } })
    await app.create.issue({ summary: 'Right', at: { lng: -179.5, lat: 0 } })

    expect(await titles({ min_lat: -1, min_lng: 178, max_lat: 1, max_lng: -177, sort: 'distance' })).toEqual(['Right', 'Left'])
  })

  it.each<[string, Parameters]>([
    ['a box that ends at 180', { min_lat: -1, min_lng: 179, max_lat: 1, max_lng: 180 }],
    ['a box that begins at -180', { min_lat: -1, min_lng: -180, max_lat: 1, max_lng: -179 }],
    ['a box of no width at 180', { min_lat: -1, min_lng: 180, max_lat: 1, max_lng: 180 }],
    ['a box of no width at -180', { min_lat: -1, min_lng: -180, max_lat: 1, max_lng: -180 }],
    ['a box that crosses', { min_lat: -1, min_lng: 179.5, max_lat: 1, max_lng: -179.5 }],
    // At zoom 9 a view is 360 × 4 / 2⁹ degrees wide.
    ['a view that ends there', { lat: 0, lng: 180 - 1.406_25, zoom: 9 }],
    ['a view that begins there', { lat: 0, lng: -180 + 1.406_25, zoom: 9 }],
    ['a view across it', { lat: 0, lng: 180, zoom: 9 }],
    ['the whole world', { min_lat: -90, min_lng: -180, max_lat: 90, max_lng: 180 }],
  ])('treats 180 and -180 as the same meridian: %s contains its issues', async (_, parameters) => {
    await app.create.issue({ id: 1, summary: 'At 180', at: { lng: 180, lat: 0 } })
    await app.create.issue({ id: 2, summary: 'At -180', at: { lng: -180, lat: 0 } })

    expect((await titles(parameters)).toSorted()).toEqual(['At -180', 'At 180'])
  })

  it('leaves out issues 0.00000001 degrees outside of a box, and includes those on its edge', async () => {
    const box = { min_lat: 41.2, min_lng: -73.1, max_lat: 41.4, max_lng: -72.9 }
    const hair = 1e-8
    await app.create.issue({ summary: 'On the corner', at: { lng: box.max_lng, lat: box.max_lat } })
    await app.create.issue({ summary: 'East of it', at: { lng: box.max_lng + hair, lat: 41.3 } })
    await app.create.issue({ summary: 'West of it', at: { lng: box.min_lng - hair, lat: 41.3 } })
    await app.create.issue({ summary: 'North of it', at: { lng: -73, lat: box.max_lat + hair } })
    await app.create.issue({ summary: 'South of it', at: { lng: -73, lat: box.min_lat - hair } })

    expect(await titles(box)).toEqual(['On the corner'])
  })

  it.each<[string, Parameters, string[]]>([
    ['half a point', { lat: 41 }, ['lng']],
    ['the other half of a point', { lng: -72 }, ['lat']],
    ['half a point with zoom', { lat: 41, zoom: 12 }, ['lng']],
    ['a zoom without a point', { zoom: 12 }, ['lat', 'lng']],
    ['a zoom without a point, whatever comes later', { zoom: 12, place_url: 'here' }, ['lat', 'lng']],
    ['half a point, whatever comes later', { lat: 41, place_url: 'here' }, ['lng']],
    ['three corners', { min_lat: 41, min_lng: -73, max_lat: 42 }, ['max_lng']],
    ['one corner', { max_lng: -72 }, ['max_lat', 'min_lat', 'min_lng']],
    ['a radius alone', { radius: 500 }, ['lat', 'lng']],
    ['a radius and half a point', { radius: 500, lng: 1 }, ['lat']],
    ['a radius and an address', { radius: 500, address: '250 Church St' }, ['lat', 'lng']],
    ['a circle and one corner', { ...GREEN, radius: 500, min_lat: 41 }, ['max_lat', 'max_lng', 'min_lng']],
    ['a polygon and half a point', { area: JSON.stringify(square(GREEN)), lat: 41 }, ['lng']],
    ['two corners with a watch area', { min_lat: 41, max_lat: 42, watcher_token: 'watch-there' }, ['max_lng', 'min_lng']],
  ])('rejects %s with the missing parameters instead of listing all issues', async (_, parameters, missing) => {
    await createTwoTowns()

    const { status, body } = await app.as.anonymous.get(issuesUrl(parameters))

    expect(status).toBe(422)
    expect(Object.keys(body as object).toSorted()).toEqual(missing)
    expect(Object.values(body as Record<string, string>)).toEqual(
      missing.map(() => expect.stringMatching(/^is required together with /)),
    )
  })

  it.each<[string, Parameters, Record<string, string>]>([
    ['a place that does not exist', { place_url: 'atlantis' }, { place_url: 'is no place of this service' }],
    ['a token that opens nothing', { watcher_token: 'none' }, { watcher_token: 'is not the token of a watch area' }],
    ['a box upside down', { min_lat: 2, min_lng: 0, max_lat: 1, max_lng: 1 }, { min_lat: 'must not be greater than max_lat' }],
    [
      'a circle that reaches a pole',
      { lat: 89.9, lng: 0, radius: 20_000 },
      { radius: 'must be smaller here: the circle reaches a pole, and no map shows that' },
    ],
    ['a polygon as text that is no JSON', { area: '{"type":' }, { area: 'must be a GeoJSON Polygon or MultiPolygon' }],
    [
      'a polygon that crosses itself',
      { area: '{"type":"Polygon","coordinates":[[[0,0],[2,2],[2,0],[0,2],[0,0]]]}' },
      { area: 'crosses itself, at longitude and latitude 1 1' },
    ],
    [
      'an order by distance from nowhere',
      { sort: 'distance' },
      { sort: 'by distance needs a point: give lat and lng, or an area' },
    ],
  ])('refuses %s', async (_, parameters, errors) => {
    await createTwoTowns()

    const { status, body } = await app.as.anonymous.get(issuesUrl(parameters))

    expect([status, body]).toEqual([422, errors])
  })
})
