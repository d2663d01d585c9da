import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { rollUpCellChanges } from '../../src/geo/pyramid/roll-up.ts'
import { GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { bearer } from '../http/app-on.ts'
import { fetchTile, insideTile, tileAt } from './tile-client.ts'

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

  it('adds the summary from zoom 15 on', async () => {
    const id = await app.create.issue({ at: GREEN, summary: 'Deep; "hole",\n2 m' })

    const { features } = await fetchTile(app, AT_15)

    expect(features.map(({ properties }) => properties)).toEqual([{ id, status: 'Open', rating: 1, summary: 'Deep; "hole",\n2 m' }])
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

  it('replaces points by clusters with the same sum if they need more than 500 kB', async () => {
    await app.db.execute(sql`
      INSERT INTO issues (summary, lng, lat, created_at)
      SELECT repeat('x', 80) || n, ${GREEN.lng}::float8 + n * 1e-8, ${GREEN.lat}, now() FROM generate_series(1, 6000) n`)

    const [points, clusters] = [await fetchTile(app, AT_12), await fetchTile(app, AT_15)]

    expect(points.features).toHaveLength(6_000)
    expect(clusters.body.length).toBeLessThan(1_000)
    expect(clusters.features.map(({ properties }) => properties['open'])).toEqual([6_000])
    expect(clusters.features[0]?.properties).toMatchObject({ cluster: true, point_count_abbreviated: '6k', cluster_zoom: 17 })
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
    const answer = await app.as.anonymous.send('GET', url)
    const list = await app.as.anonymous.send('GET', url.replace(/^.*mvt/, '/api/v2/issues'))

    expect(answer.status).toBe(422)
    expect(answer.body).toEqual(errors ?? list.body)
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

  it('is compressed, and allows scripts of other sites', async () => {
    await app.db.execute(sql`
      INSERT INTO issues (summary, lng, lat) SELECT 'Hole', ${GREEN.lng}::float8 + n * 1e-5, ${GREEN.lat} FROM generate_series(1, 200) n`)

    const { headers } = await fetchTile(app, AT_12, '', { 'accept-encoding': 'gzip', origin: 'https://map.example' })

    expect([headers['content-encoding'], headers['access-control-allow-origin']]).toEqual(['gzip', '*'])
    expect(headers['vary']).toContain('accept-encoding')
  })
})
