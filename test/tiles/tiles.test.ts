import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { rollUpCellChanges } from '../../src/geo/pyramid/roll-up.ts'
import { GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { withoutTriggers } from '../helpers/without-triggers.ts'
import { bearer } from '../http/app-on.ts'
import { POINTS_MAX } from '../../src/tiles/point-queries.ts'
import { countIssuesIn, fetchTile, insideTile, tileAt } from './tile-client.ts'

const AT_12 = tileAt(GREEN, 12)
const AT_15 = tileAt(GREEN, 15)
const AT_5 = tileAt(GREEN, 5)

describe('GET /tiles/issues/{z}/{x}/{y}.mvt', () => {
  const app = useApp()

  it('returns single issues with id, status, type and rating from zoom 12 on', async () => {
    const type = await app.create.requestType()
    const id = await app.create.issue({ at: GREEN, status: 'Acknowledged', request_type: type, summary: 'Deep hole' })

    const { status, headers, features } = await fetchTile(app, AT_12)

    expect([status, headers['content-type']]).toEqual([200, 'application/vnd.mapbox-vector-tile'])
    expect(features).toEqual([
      {
        id,
        x: expect.any(Number) as number,
        y: expect.any(Number) as number,
        properties: { id, status: 'Acknowledged', request_type_id: type, rating: 1 },
      },
    ])
  })

  it('adds the summary and the address from zoom 15 on', async () => {
    const id = await app.create.issue({ at: GREEN, summary: 'Deep; "hole",\n2 m', address: '250 Church St, New Haven' })
    const other = await app.create.issue({ at: GREEN, summary: 'Lamp', address: '' })

    const { features } = await fetchTile(app, AT_15)

    expect(features.map(({ properties }) => properties)).toEqual([
      { id, status: 'Open', rating: 1, summary: 'Deep; "hole",\n2 m', address: '250 Church St, New Haven' },
      { id: other, status: 'Open', rating: 1, summary: 'Lamp' },
    ])
  })

  it('returns clusters with counts by status below zoom 12, pending changes included', async () => {
    await app.create.issue({ at: GREEN })
    await rollUpCellChanges(app.db)
    await app.create.issue({ at: GREEN, status: 'Closed' })
    await app.create.issue({ at: GREEN, status: 'Archived' })

    const { features } = await fetchTile(app, AT_5)

    expect(features.map(({ properties }) => properties)).toEqual([
      {
        cluster: true,
        point_count: 2,
        point_count_abbreviated: '2',
        open: 1,
        acknowledged: 0,
        closed: 1,
        archived: 0,
        cluster_zoom: 7,
      },
    ])
  })

  it('has the same bytes on both engines', async () => {
    await app.create.issue({ id: 4711, at: GREEN, summary: 'Deep hole' })
    await app.create.issue({
      id: 815,
      summary: 'Lamp',
      at: { lng: GREEN.lng + 0.001, lat: GREEN.lat - 0.001 },
      status: 'Closed',
      base_rating: 300,
    })

    const tiles = await Promise.all([fetchTile(app, AT_15), fetchTile(app, AT_12), fetchTile(app, AT_5)])

    expect(tiles.map(({ body }) => hash('sha1', body))).toMatchInlineSnapshot(`
      [
        "32a3b5d490fbd27217f622aa9355e9fb6057f5e5",
        "2a47d1a5350a3db9f3731f747c506034af48feb8",
        "90ab702fac13c35e67beae62ad3a059131391425",
      ]
    `)
  })

  it('shows an issue near an edge in both tiles, but inside only one', async () => {
    const edge = { lng: -72.861_328_125, lat: GREEN.lat }
    await app.create.issue({ at: edge })
    const [z, x, y] = tileAt(edge, 12).split('/').map(Number)

    const [own, west] = [await fetchTile(app, `${z}/${x}/${y}`), await fetchTile(app, `${z}/${(x ?? 0) - 1}/${y}`)]

    expect(own.features.map((feature) => feature.x)).toEqual([0])
    expect(west.features.map((feature) => feature.x)).toEqual([4096])
    expect(insideTile(west.features)).toEqual([])
  })

  it.each([
    ['the antimeridian in the last column', { lng: 180, lat: 0.01 }, '12/4095/2047', '12/0/2047'],
    ['a pole in the edge row', { lng: 0.01, lat: -90 }, '12/2048/4095', '12/2048/0'],
  ])('counts a point on %s', async (_, at, own, other) => {
    const id = await app.create.issue({ at })

    const [here, there] = [await fetchTile(app, own), await fetchTile(app, other)]

    expect(insideTile(here.features).map((feature) => feature.id)).toEqual([id])
    expect(insideTile(there.features)).toEqual([])
  })

  it('includes points up to 512 units beyond the edge', async () => {
    const [z = 0, x = 0, y = 0] = AT_12.split('/').map(Number)
    for (const units of [511, 513])
      await app.create.issue({ at: { lng: ((x + 1 + units / 4_096) * 360) / 4_096 - 180, lat: GREEN.lat } })

    const { features } = await fetchTile(app, `${z}/${x}/${y}`)

    expect(features.map((feature) => feature.x)).toEqual([4_096 + 511])
  })

  it('draws a cluster near the mean of its issues, so that clusters form no grid', async () => {
    const [, x = 0] = AT_5.split('/').map(Number)
    const west = (x * 360) / 32 - 180
    // A cluster is 256 units wide, and its cells 64.
    const at = (units: number) => ({ lng: west + ((units / 4_096) * 360) / 32, lat: GREEN.lat })
    for (const units of [10, 20, 30, 250]) await app.create.issue({ at: at(units) })

    const { features } = await fetchTile(app, AT_5)

    expect(features.map((feature) => [feature.x, feature.properties['point_count']])).toEqual([[(3 * 32 + 224) / 4, 4]])
  })

  it('has clusters of two cells beyond its edge', async () => {
    const { lng } = GREEN
    const [, x = 0] = AT_5.split('/').map(Number)
    const edge = ((x + 1) * 360) / 32 - 180
    const ids = [0.625, 1.625, 2.625].map((cells) => app.create.issue({ at: { lng: edge + (cells * 360) / 512, lat: GREEN.lat } }))
    await Promise.all(ids)

    const { features } = await fetchTile(app, AT_5)

    expect(features.map((feature) => feature.x).toSorted((a, b) => a - b)).toEqual([4_256, 4_512])
    expect(lng).toBeLessThan(edge)
  })

  /** Points next to each other, in both tiles. */
  const createPoints = (count: number) =>
    withoutTriggers(
      app.db,
      `INSERT INTO issues (summary, lng, lat, created_at)
      SELECT repeat('x', 80) || n, ${GREEN.lng} + n * 1e-8, ${GREEN.lat}, now() FROM generate_series(1, ${count}) n`,
    )

  it('replaces points by clusters with the same sum if they need more than 500 kB', async () => {
    await createPoints(6_000)

    const [points, clusters] = [await fetchTile(app, AT_12), await fetchTile(app, AT_15)]

    expect(points.features).toHaveLength(6_000)
    expect(clusters.body.length).toBeLessThan(1_000)
    expect(clusters.features.map(({ properties }) => properties['open'])).toEqual([6_000])
    expect(clusters.features[0]?.properties).toMatchObject({ cluster: true, point_count_abbreviated: '6k', cluster_zoom: 17 })
  })

  it.each([
    [17_000, 17_000],
    [19_000, 1],
    [POINTS_MAX + 1, 1],
  ])('returns at most 500 kB for %d points', async (points, count) => {
    await createPoints(points)

    const { features, body } = await fetchTile(app, AT_12)

    expect(body.length).toBeLessThanOrEqual(500_000)
    expect(features).toHaveLength(count)
    expect(countIssuesIn(features)).toBe(points)
  })

  it('returns an empty body without matching issues', async () => {
    await app.create.issue({ at: GREEN, moderation_state: 'held' })

    const { status, body } = await fetchTile(app, AT_12)

    expect([status, body.length]).toEqual([200, 0])
  })

  it('takes the filters and areas of the list', async () => {
    const [closed] = [await app.create.issue({ at: GREEN, status: 'Closed' }), await app.create.issue({ at: GREEN })]

    const [byStatus, byRadius, elsewhere] = [
      await fetchTile(app, AT_12, '?status=closed'),
      await fetchTile(app, AT_12, `?status=closed&lat=${GREEN.lat}&lng=${GREEN.lng}&radius=100`),
      await fetchTile(app, AT_12, '?min_lat=0&min_lng=0&max_lat=1&max_lng=1'),
    ]

    expect(byStatus.features.map(({ id }) => id)).toEqual([closed])
    expect(byRadius.features.map(({ id }) => id)).toEqual([closed])
    expect(elsewhere.features).toEqual([])
  })

  it.each([
    ['a zoom above 22', '/tiles/issues/23/0/0.mvt', { z: 'must be a number from 0 to 22' }],
    ['a column beyond the world', '/tiles/issues/1/2/0.mvt', { x: 'must be a number from 0 to 1' }],
    ['a row beyond the world', '/tiles/issues/0/0/1.mvt', { y: 'must be a number from 0 to 0' }],
    ['half a box', '/tiles/issues/0/0/0.mvt?min_lat=1', undefined],
    ['an unknown status', '/tiles/issues/0/0/0.mvt?status=fixed', undefined],
  ])('returns 422 for %s', async (_, url, errors) => {
    const response = await app.as.anonymous.send('GET', url)
    const list = await app.as.anonymous.send('GET', url.replace(/^.*mvt/, '/api/v2/issues'))

    expect(response.status).toBe(422)
    expect(response.body).toEqual(errors ?? list.body)
  })

  it('returns 404 for a path without numbers', async () => {
    expect((await app.as.anonymous.send('GET', '/tiles/issues/a/b/c.mvt')).status).toBe(404)
  })

  it('filters by the caller and is private for callers with credentials', async () => {
    const ada = await app.create.user()
    const mine = await app.create.issue({ at: GREEN, assignee: ada })
    await app.create.issue({ at: GREEN })

    const [own, all] = [
      await fetchTile(app, AT_12, '?assigned_to_me=true', bearer(ada.token)),
      await fetchTile(app, AT_12, '?assigned_to_me=true'),
    ]

    expect(own.features.map(({ id }) => id)).toEqual([mine])
    expect([own.headers['cache-control'], all.headers['cache-control']]).toEqual(['private, no-cache', 'public, no-cache'])
    expect(own.headers['vary']).toContain('Authorization, Cookie')
    expect(all.features).toHaveLength(2)
  })

  it('is compressed, names its licence, and allows scripts of other sites', async () => {
    await app.db.execute(sql`
      INSERT INTO issues (summary, lng, lat) SELECT 'Hole', ${GREEN.lng}::float8 + n * 1e-5, ${GREEN.lat} FROM generate_series(1, 200) n`)

    const { headers } = await fetchTile(app, AT_12, '', { 'accept-encoding': 'gzip', origin: 'https://map.example' })

    expect([headers['content-encoding'], headers['access-control-allow-origin']]).toEqual(['gzip', '*'])
    expect(headers['link']).toBe('<https://creativecommons.org/licenses/by-nc-sa/3.0/us/>; rel="license"')
    expect(headers['vary']).toContain('accept-encoding')
  })

  it.each(['application/vnd.maplibre-tile', 'application/vnd.maplibre-tile, */*;q=0.1', 'image/png'])(
    'is a Mapbox Vector Tile for a request that accepts %s, as MapLibre Tiles are not served',
    async (accept) => {
      await app.create.issue({ at: GREEN })

      const { status, headers, features } = await fetchTile(app, AT_12, '', { accept })

      expect([status, headers['content-type'], features.length]).toEqual([200, 'application/vnd.mapbox-vector-tile', 1])
      expect(headers['vary']).toContain('Accept')
    },
  )
})
