import { beforeAll, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { countIssuesIn, fetchTile, insideTile, tileAt } from '../tiles/tile-client.ts'

const app = useApp({ keepRows: true })
const ITEMS = '/ogc/collections/issues/items'
const FACES = ['/exports/issues.geojson', '/feeds/issues.geojson', '/feeds/issues.geojson?per_page=10', ITEMS]
const CIRCLE = `lat=${GREEN.lat}&lng=${GREEN.lng}&radius=500`

const send = (url: string) => app.as.anonymous.send('GET', url)
const withQuery = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`

const sorted = (parameters: URLSearchParams) => [...parameters].toSorted()

let pothole: number
let streets: number

beforeAll(async () => {
  await app.create.place({ url_name: 'new-haven', around: GREEN })
  streets = await app.create.organization({ name: 'Streets' })
  const type = await app.create.requestType({ title: 'Pothole', organization: streets })
  pothole = await app.create.issue({ request_type: type, category: 'pothole', summary: 'Déep hole', base_rating: 7 })
  await app.create.issue({ category: 'sign', request_type: await app.create.requestType() })
  await app.create.issue()
})

const conditions = [
  'category=pothole',
  'category[]=pothole&category[]=tree',
  'organization_id=1',
  "filter=rating_count>5 AND organization='Streets'",
  "filter=organization IN ('Streets','Parks') AND request_type='Pothole'",
  "filter=ACCENTI(CASEI(summary)) LIKE 'deep%' AND place_url_name='new-haven'",
  'filter={"op":">","args":[{"property":"rating_count"},5]}&filter-lang=cql2-json',
  "filter=rating_count>5 OR summary='x'&category=pothole&organization_id=1",
  `filter=rating_count>5&${CIRCLE}`,
].map((query) => query.replace('organization_id=1', 'organization_id=STREETS'))
const encode = (query: string) => encodeURI(query.replace('STREETS', String(streets)))
const encodeFor311 = (query: string) => encode(query.replace('lng=', 'long='))

describe.each(conditions)('the condition %s', (condition) => {
  it.each(FACES)('selects in %s', async (face) => {
    const { status, text } = await send(withQuery(face, encode(condition)))

    expect(status, text).toBe(200)
    expect((JSON.parse(text) as { features: { id: number }[] }).features.map(({ id }) => id)).toEqual([pothole])
    expect(JSON.parse(text)).toMatchObject({ numberMatched: 1 })
  })

  it('selects in Open311 requests and Bulk', async () => {
    const requests = await send(withQuery('/open311/v2/requests.json?updated_after=2000-01-01', encodeFor311(condition)))
    const bulk = await send(withQuery('/open311/v2/bulk/requests.csv', encodeFor311(condition)))

    expect(requests.body).toEqual([expect.objectContaining({ service_request_id: String(pothole) })])
    expect(bulk.text.split('\r\n').slice(1, -1)).toEqual([expect.stringMatching(`^${pothole},`)])
  })

  it('selects in the Atom feed', async () => {
    const { text } = await send(`/feeds/issues.atom?${encode(condition)}`)

    expect(text.match(/<entry>/g)).toHaveLength(1)
    expect(text).toContain(`/issues/${pothole}`)
  })

  it('selects in tiles of clusters and of issues', async () => {
    const query = `?${encode(condition)}`

    const clusters = await fetchTile(app, '0/0/0', query)
    const points = await fetchTile(app, tileAt(GREEN, 14), query)
    const ofOgc = await app.fastify.inject(`/ogc/collections/issues/tiles/WebMercatorQuad/0/0/0${query}`)

    expect(countIssuesIn(clusters.features)).toBe(1)
    expect(insideTile(points.features).map(({ id }) => id)).toEqual([pothole])
    expect(ofOgc.rawPayload).toEqual(clusters.body)
  })

  it('is in the addresses of TileJSON and style', async () => {
    const query = encode(condition)

    const tileJson = await send(`/tiles/issues.json?${query}`)
    const style = await send(`/tiles/issues/style.json?${query}`)

    const [tilesUrl = ''] = (tileJson.body as { tiles: string[] }).tiles
    const { sources } = style.body as { sources: { issues: { url: string } } }
    const parameters = sorted(new URLSearchParams(query))
    expect(sorted(new URL(tilesUrl).searchParams)).toEqual(parameters)
    expect(sorted(new URL(sources.issues.url).searchParams)).toEqual(parameters)
  })
})

describe.each(['/exports/issues.geojson', '/feeds/issues.atom', '/tiles/issues.json', `/tiles/issues/${tileAt(GREEN, 14)}.mvt`])(
  '%s',
  (face) => {
    it.each([
      ['category=holes', { category: expect.stringContaining('pothole') }],
      ['organization_id=999', { organization_id: 'contains unknown values: 999' }],
      ['organization_id=x', { organization_id: expect.any(String) }],
      ['filter=colour=1', { filter: expect.stringContaining('at character 1: colour is not a property') }],
      ['filter=TRUE&filter-lang=sql', { 'filter-lang': expect.stringContaining('cql2-text') }],
      ['filter=TRUE&filter-crs=EPSG:1', { 'filter-crs': expect.stringContaining('EPSG/0/3857') }],
      ['bbox=0,0,1,1', { bbox: expect.stringContaining('min_lat') }],
      ['datetime=2026-01-01', { datetime: expect.stringContaining('after, before') }],
      ['organization=Streets', { organization: expect.stringContaining('organization_id') }],
      ['place_url_name=new-haven', { place_url_name: expect.stringContaining('place_url') }],
      ['rating_count=7', { rating_count: expect.stringContaining('use filter') }],
      ['crs=EPSG:3857', { crs: expect.stringContaining('items of /ogc') }],
      ['properties=id', { properties: expect.stringContaining('items of /ogc') }],
      ['sortby=id', { sortby: expect.any(String) }],
      ['limit=10', { limit: expect.any(String) }],
      ['closed_at=x&closed_at=y', { closed_at: expect.stringContaining('use filter') }],
      ['filter-crs=EPSG:1', { 'filter-crs': expect.stringContaining('EPSG/0/3857') }],
    ])('returns 422 for %s', async (query, errors) => {
      const { status, body } = await send(withQuery(face, query))

      expect([status, body]).toEqual([422, errors])
    })
  },
)

describe.each(['/exports/places.geojson', '/exports/issues.geojson', `/tiles/issues/${tileAt(GREEN, 14)}.mvt`])('%s', (face) => {
  it('returns 422 for the parameter cursor of /ogc, unless it is blank', async () => {
    const { status, body } = await send(`${face}?cursor=x`)

    expect([status, body]).toEqual([422, { cursor: expect.stringContaining('/ogc') }])
    expect((await send(`${face}?cursor=`)).status).toBe(200)
  })
})

describe('/exports/places.geojson', () => {
  it.each(['filter=TRUE', 'category=pothole', 'organization_id[]=1', 'status=open', 'request_types=other'])(
    'returns 422 for %s',
    async (query) => {
      const { status, body } = await send(`/exports/places.geojson?${query}`)

      expect([status, body]).toEqual([422, { [query.split('=')[0] ?? '']: expect.stringContaining('/ogc') }])
    },
  )
})

describe.each(['/open311/v2/requests.json', '/open311/v2/bulk/requests.csv'])('%s', (face) => {
  it.each([
    ['category=holes', 'category: must be a comma-separated list of pothole'],
    ['organization_id=999', 'organization_id: contains unknown values: 999'],
    ['organization_id=x', 'organization_id: must be a comma-separated list of at most 100 organisation ids'],
    ['filter=colour=1', 'filter: at character 1: colour is not a property'],
    ['filter=TRUE&filter-lang=sql', 'filter-lang: must be one of cql2-text'],
    ['filter-crs=EPSG:1', 'filter-crs: must be one of http'],
    ['place_url=new-haven', 'place_url: is a parameter of items of /ogc, not of this address'],
    ['datetime=2026-01-01', 'datetime: is a parameter of items of /ogc, not of this address'],
  ])('returns 400 for %s', async (query, description) => {
    const { status, body } = await send(`${face}?${query}`)

    expect([status, body]).toEqual([400, [{ code: 400, description: expect.stringContaining(description) }]])
  })
})

describe('tiles with different filters', () => {
  it('have different ETags, and are not mixed up by the cache', async () => {
    const queries = ['', '?category=sign', '?category=pothole', '?filter=rating_count>5', '?filter=rating_count<5']
    const ask = (query: string, etag = '') => fetchTile(app, '0/0/0', encodeURI(query), { 'if-none-match': etag })

    const tiles = await Promise.all(queries.map((query) => ask(query)))
    const again = await Promise.all(queries.map((query) => ask(query)))
    const revalidated = await Promise.all(queries.map((query, n) => ask(query, String(tiles[n]?.headers.etag))))
    const ofOthers = await Promise.all(queries.map((query, n) => ask(query, String(tiles.at(n - 1)?.headers.etag))))

    const versions = tiles.map(({ headers }) => headers.etag)
    // An ETag is the hash of the body, and three filters select the same issue.
    expect(new Set(versions).size).toBe(3)
    expect(again.map(({ headers }) => headers.etag)).toEqual(versions)
    expect(again.map(({ features }) => countIssuesIn(features))).toEqual([3, 1, 1, 1, 2])
    expect(revalidated.map(({ status }) => status)).toEqual(queries.map(() => 304))
    expect(ofOthers.map(({ headers }) => headers.etag)).toEqual(versions)
  })
})

describe('responses for the token of a watch area and a filter', () => {
  it.each([`/tiles/issues/${tileAt(GREEN, 14)}.mvt`, '/feeds/issues.atom', '/feeds/issues.geojson', '/exports/issues.csv', ITEMS])(
    'are private at %s',
    async (face) => {
      const token = await app.create.watchArea({ of: await app.create.user() })

      const { status, headers } = await send(`${face}?filter=TRUE&watcher_token=${token}`)

      expect([status, headers['cache-control']]).toEqual([200, expect.stringContaining('private')])
    },
  )
})

describe('feeds, Open311 and tiles with a filter on names', () => {
  it('change when an organisation is renamed', async () => {
    const query = '?filter=organization%3D%27Streets%27'
    const tile = await fetchTile(app, '0/0/0', query)
    const page = await app.fastify.inject(`/feeds/issues.geojson${query}&per_page=10`)
    const requests = await app.fastify.inject(`/open311/v2/requests.json${query}&updated_after=2000-01-01`)
    await app.db.execute(sql`UPDATE organizations SET name = 'Roads' WHERE id = ${streets}`)

    const tileAfter = await fetchTile(app, '0/0/0', query, { 'if-none-match': String(tile.headers.etag) })
    const pageAfter = await app.fastify.inject({
      url: `/feeds/issues.geojson${query}&per_page=10`,
      headers: { 'if-none-match': String(page.headers.etag) },
    })
    const requestsAfter = await app.fastify.inject({
      url: `/open311/v2/requests.json${query}&updated_after=2000-01-01`,
      headers: { 'if-none-match': String(requests.headers.etag) },
    })
    await app.db.execute(sql`UPDATE organizations SET name = 'Streets' WHERE id = ${streets}`)

    expect([requests.json(), requestsAfter.statusCode, requestsAfter.json()]).toEqual([[expect.anything()], 200, []])
    expect([tileAfter.status, countIssuesIn(tileAfter.features)]).toEqual([200, 0])
    expect([pageAfter.statusCode, pageAfter.json()]).toEqual([200, expect.objectContaining({ features: [] })])
  })
})
