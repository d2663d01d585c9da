import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { FAR_AWAY, GREEN } from '../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { createReader, ISSUES, type Items, PLACES } from './reader.ts'

const app = useApp()
const { ask, readItems, readIds, readPages } = createReader(app)
const at = (path: string) => `${PUBLIC_URL}${path}`

describe('GET /ogc/collections/issues/items', () => {
  it('returns GeoJSON with exact counts and links', async () => {
    const ada = await app.create.user({ name: 'Ada Park' })
    const issue = await app.create.issue({ reporter: ada, summary: 'Hole', at: GREEN, address: '250 Church St' })

    const response = await ask(ISSUES)

    const { timeStamp, ...body } = JSON.parse(response.text) as Items
    expect(response.status).toBe(200)
    expect(response.headers['content-type']).toBe('application/geo+json; charset=utf-8')
    expect(response.headers['content-crs']).toBe('<http://www.opengis.net/def/crs/OGC/1.3/CRS84>')
    expect(response.headers['cache-control']).toBe('public, no-cache')
    expect(timeStamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect(body).toEqual({
      type: 'FeatureCollection',
      numberMatched: 1,
      numberReturned: 1,
      links: [
        { rel: 'self', href: at(`${ISSUES}?f=json`), type: 'application/geo+json', title: 'This document' },
        { rel: 'alternate', href: at(`${ISSUES}?f=html`), type: 'text/html', title: 'This document as a page' },
        {
          rel: 'alternate',
          href: at(`${ISSUES}?f=jsonfg`),
          type: 'application/vnd.ogc.fg+json',
          title: 'This document as JSON-FG',
        },
        { rel: 'collection', href: at('/ogc/collections/issues'), type: 'application/json', title: 'The collection' },
        {
          rel: 'license',
          href: 'https://creativecommons.org/licenses/by-nc-sa/3.0/us/',
          type: 'text/html',
          title: 'CC BY-NC-SA 3.0 US',
        },
      ],
      features: [
        {
          type: 'Feature',
          id: issue,
          geometry: { type: 'Point', coordinates: [GREEN.lng, GREEN.lat] },
          properties: expect.objectContaining({
            id: issue,
            summary: 'Hole',
            status: 'Open',
            address: '250 Church St',
            reporter: 'Ada Park',
          }),
        },
      ],
    })
  })

  it('pages by next links in the order of sortby, without gaps or repetitions', async () => {
    const first = await app.create.issue({ address: 'B', created_at: '2026-01-01T00:00:00Z' })
    const second = await app.create.issue({ created_at: '2026-01-03T00:00:00Z' })
    const third = await app.create.issue({ address: 'A', created_at: '2026-01-02T00:00:00Z' })
    const fourth = await app.create.issue({ address: 'B', created_at: '2026-01-02T00:00:00Z' })

    expect(await readPages(`${ISSUES}?limit=3`)).toEqual([[first, second, third], [fourth]])
    expect(await readPages(`${ISSUES}?limit=1&sortby=-created_at`)).toEqual([[second], [third], [fourth], [first]])
    expect(await readPages(`${ISSUES}?limit=1&sortby=%2Baddress,-created_at`)).toEqual([[third], [fourth], [first], [second]])
    expect(await readPages(`${ISSUES}?limit=1&sortby=-address`)).toEqual([[first], [fourth], [third], [second]])
    expect((await readItems(`${ISSUES}?limit=1`)).numberMatched).toBe(4)
  })

  it('selects by box, time, property and the filters of the list', async () => {
    const pothole = await app.create.requestType({ title: 'Pothole' })
    const green = await app.create.issue({
      at: GREEN,
      summary: 'Green',
      created_at: '2026-01-01T10:00:00.500Z',
      request_type: pothole,
    })
    const far = await app.create.issue({ at: FAR_AWAY, summary: 'Far', created_at: '2026-02-01T10:00:00Z' })
    const east = await app.create.issue({
      at: { lng: 179.5, lat: 10 },
      summary: 'East',
      status: 'Closed',
      created_at: '2026-03-01T10:00:00Z',
    })
    const west = await app.create.issue({ at: { lng: -179.5, lat: 10 }, summary: 'West', created_at: '2026-03-01T10:00:00Z' })
    await app.create.place({ url_name: 'new-haven', around: GREEN })

    expect(await readIds(`${ISSUES}?bbox=${GREEN.lng},${GREEN.lat},${GREEN.lng},${GREEN.lat}`)).toEqual([green])
    expect(await readIds(`${ISSUES}?bbox=170,0,-5,-170,20,5`)).toEqual([east, west])
    expect(await readIds(`${ISSUES}?datetime=2026-01-01T10:00:00Z`)).toEqual([green])
    expect(await readIds(`${ISSUES}?datetime=2026-02-01/..`)).toEqual([far, east, west])
    expect(await readIds(`${ISSUES}?datetime=2026-02-01T/..`)).toEqual([far, east, west])
    expect(await readIds(`${ISSUES}?datetime=2026-02-01`)).toEqual([far])
    expect(await readIds(`${ISSUES}?datetime=2026-02-01T`)).toEqual([])
    expect(await readIds(`${ISSUES}?datetime=/2026-02-01`)).toEqual([green, far])
    expect(await readIds(`${ISSUES}?datetime=2026-01-15T00:00:00Z/2026-02-15T00:00:00Z`)).toEqual([far])
    expect(await readIds(`${ISSUES}?summary=Far`)).toEqual([far])
    expect(await readIds(`${ISSUES}?request_type=Pothole`)).toEqual([green])
    expect(await readIds(`${ISSUES}?place_url_name=new-haven`)).toEqual([green])
    expect(await readIds(`${ISSUES}?status=Closed`)).toEqual([east])
    expect(await readIds(`${ISSUES}?status=open,closed&bbox=170,0,-170,20`)).toEqual([east, west])
    expect(await readIds(`${ISSUES}?place_url=new-haven`)).toEqual([green])
    expect(await readIds(`${ISSUES}?place_url=new-haven&bbox=170,0,-170,20`)).toEqual([])
    expect(await readIds(`${ISSUES}?lat=${FAR_AWAY.lat}&lng=${FAR_AWAY.lng}&radius=100&search=far`)).toEqual([far])
    expect(await readIds(`${ISSUES}?created_at=2026-01-01T10:00:00Z`)).toEqual([green])
  })

  it('returns only the requested properties', async () => {
    await app.create.issue({ summary: 'Hole' })

    const { features } = await readItems(`${ISSUES}?properties=status,summary`)

    expect(features[0]?.properties).toEqual({ status: 'Open', summary: 'Hole' })
  })

  it('names the smallest place again after places change', async () => {
    await app.create.issue({ at: GREEN })
    await app.create.place({ url_name: 'connecticut', around: GREEN, size: 1 })
    const readPlace = async () => (await readItems(ISSUES)).features[0]?.properties['place_url_name']

    const before = await readPlace()
    await app.create.place({ url_name: 'new-haven', around: GREEN, size: 0.1 })
    const after = await readPlace()

    expect([before, after]).toEqual(['connecticut', 'new-haven'])
  })

  it('returns at most 10,000 items on a page', async () => {
    await app.db.execute(sql`INSERT INTO issues (summary, lng, lat) SELECT 'Hole', n / 100.0, 0 FROM generate_series(1, 10001) n`)
    // Statistics of the empty table would give a slow plan.
    await app.db.execute(sql`ANALYZE issues`)

    const page = await readItems(`${ISSUES}?limit=10001`)
    const rest = await readPages(page.links.find(({ rel }) => rel === 'next')?.href.replace(PUBLIC_URL, '') ?? '')

    expect(page).toMatchObject({ numberMatched: 10_001, numberReturned: 10_000 })
    expect(rest).toEqual([[(page.features.at(-1)?.id ?? 0) + 1]])
  })

  it('wraps longitudes beyond 180 degrees', async () => {
    const east = await app.create.issue({ at: { lng: 179, lat: 5 } })
    const west = await app.create.issue({ at: { lng: -170, lat: 5 } })
    const middle = await app.create.issue({ at: { lng: 0, lat: 5 } })

    expect(await readIds(`${ISSUES}?bbox=170,0,200,10`)).toEqual([east, west])
    expect(await readIds(`${ISSUES}?bbox=-182,0,-179,10`)).toEqual([east])
    expect(await readIds(`${ISSUES}?bbox=180,0,195,10`)).toEqual([west])
    expect(await readIds(`${ISSUES}?bbox=350,0,365,10`)).toEqual([middle])
    expect(await readIds(`${ISSUES}?bbox=-200,-100,200,100`)).toEqual([east, west, middle])
  })

  it('keeps a watcher token out of pages and links to them', async () => {
    const ada = await app.create.user()
    await app.create.watchArea({ of: ada, token: 'the-token' })
    const issue = await app.create.issue({ at: GREEN })
    await app.create.issue({ at: FAR_AWAY })

    const json = await readItems(`${ISSUES}?watcher_token=the-token`)
    const page = await ask(`${ISSUES}?watcher_token=the-token`, 'text/html')

    expect(json.features.map(({ id }) => id)).toEqual([issue])
    expect(json.links.filter(({ type, href }) => type === 'text/html' && href.includes('the-token'))).toEqual([])
    expect(page.status).toBe(400)
    expect(page.text).toContain('watcher_token: is secret and cannot be part of a page')
  })

  it('returns 400 for parameters with which the link to a later page would be too long, even without one', async () => {
    await app.create.issue()
    await app.create.issue()
    const filter = (length: number) => `filter=summary<>'${'x'.repeat(length)}'`

    const short = await ask(`${ISSUES}?limit=1&${filter(7_000)}`)
    const long = await ask(`${ISSUES}?limit=1&${filter(7_920)}`)
    const sorted = await ask(`${ISSUES}?limit=1&sortby=summary&${filter(7_000)}`)
    const last = await ask(`${ISSUES}?limit=2&${filter(7_920)}`)

    expect([short.status, long.status, sorted.status, last.status]).toEqual([200, 400, 400, 400])
    expect(long.text).toContain('the addresses of further pages would exceed 8000 characters')
  })

  it.each([
    ['limit=0', 'limit: must be an integer above 0'],
    ['colour=red', 'colour: is not a parameter of this address'],
    ['bbox=1,2,3', 'bbox: must be four or six numbers'],
    ['bbox=0,10,1,5', 'bbox: must be four or six numbers'],
    ['bbox=200,0,100,10', 'bbox: must be four or six numbers'],
    ['datetime=yesterday', 'datetime: must be an instant'],
    ['datetime=20260601', 'datetime: must be an instant'],
    ['datetime=..', 'datetime: must be an instant'],
    ['datetime=2026-01-01/2026-02-01/..', 'datetime: must be an instant'],
    ['datetime=2026-02-01/2026-01-01', 'datetime: must be an instant'],
    ['sortby=reporter', 'sortby: must be a list of'],
    ['sortby=place_url_name', 'sortby: must be a list of'],
    ['properties=colour', 'properties: must be a list of'],
    ['crs=EPSG:2263', 'crs: must be one of'],
    ['cursor=abc', 'cursor: must be the cursor of a next link'],
    ['f=xml', 'f: must be one of json, html, jsonfg'],
    ['status=Broken', 'status: must be a comma-separated list'],
    ['place_url=nowhere', 'place_url: '],
    ['request_types=99', 'request_types: '],
    ['summary=a&summary=b', 'summary: must be given only once'],
    ['summary=%00', 'summary: must not contain'],
    ['id=x', 'id: must be an integer'],
    ['created_at=20260601', 'created_at: expected a date or timestamp'],
    ['created_at=2026-01-01/..', 'created_at: expected a date or timestamp'],
    ['filter-lang=sql', 'filter-lang: must be one of'],
  ])('returns 400 that names the parameter for %s', async (query, message) => {
    const response = await ask(`${ISSUES}?${query}`)

    expect(response.status).toBe(400)
    expect(JSON.parse(response.text)).toMatchObject({ message: expect.stringContaining(message) })
  })

  it('hides reports that are pending review, and who reported anonymously', async () => {
    const ben = await app.create.user({ name: 'Ben Stone' })
    const held = await app.create.issue({ moderation_state: 'held' })
    const issue = await app.create.issue({ reporter: ben, anonymous: true })

    const response = await ask(ISSUES)

    expect(await readIds(ISSUES)).toEqual([issue])
    expect(response.text).not.toContain('Ben Stone')
    expect((await ask(`${ISSUES}/${held}`)).status).toBe(404)
  })

  it('filters by the caller and sends a private response', async () => {
    const ada = await app.create.user({ name: 'Ada Park' })
    const mine = await app.create.issue({ assignee: ada })
    await app.create.issue()

    const response = await app.as.user(ada).send('GET', `${ISSUES}?assigned_to_me=true`)

    expect((JSON.parse(response.text) as Items).features.map(({ id }) => id)).toEqual([mine])
    expect(response.headers['cache-control']).toBe('private, no-cache')
  })

  it('returns 304 for its ETag until an issue changes', async () => {
    await app.create.issue()
    const { headers } = await ask(ISSUES)
    const again = () => app.as.anonymous.send('GET', ISSUES, { headers: { 'if-none-match': String(headers['etag']) } })

    const unchanged = await again()
    await app.create.issue()
    const changed = await again()

    expect([unchanged.status, changed.status]).toEqual([304, 200])
  })
})

describe('GET /ogc/collections/issues/items/:id', () => {
  it('returns a feature, also of an archived issue, with links', async () => {
    const issue = await app.create.issue({ status: 'Archived', closed_at: '2026-01-02T00:00:00Z' })

    const response = await ask(`${ISSUES}/${issue}`)

    expect(JSON.parse(response.text)).toMatchObject({
      type: 'Feature',
      id: issue,
      properties: { status: 'Archived' },
      links: expect.arrayContaining([expect.objectContaining({ rel: 'collection', href: at('/ogc/collections/issues') })]),
    })
  })

  it('returns 400 for parameters with which the link to another format would be too long', async () => {
    const issue = await app.create.issue()

    const { status } = await ask(`${ISSUES}/${issue}?properties=${Array(2_600).fill('id').join()}`)

    expect(status).toBe(400)
  })

  it.each(['0', 'x', '999999', '99999999999'])('returns 404 for %s', async (id) => {
    expect((await ask(`${ISSUES}/${id}`)).status).toBe(404)
  })
})

describe('GET /ogc/collections/places/items', () => {
  it('returns boundaries and selects by box and property', async () => {
    const place = await app.create.place({ name: 'New Haven', url_name: 'new-haven', around: GREEN })
    await app.create.place({ name: 'Elsewhere', url_name: 'elsewhere', around: FAR_AWAY })

    const { numberMatched, features } = await readItems(`${PLACES}?bbox=${GREEN.lng},${GREEN.lat},${GREEN.lng},${GREEN.lat}`)

    expect(numberMatched).toBe(1)
    expect(features).toMatchObject([{ id: place.id, geometry: { type: 'MultiPolygon' }, properties: { url_name: 'new-haven' } }])
    expect(await readIds(`${PLACES}?url_name=new-haven`)).toEqual([place.id])
    expect(await readIds(`${PLACES}?filter=S_INTERSECTS(geometry,POINT(${GREEN.lng} ${GREEN.lat}))`)).toEqual([place.id])
    expect(await readItems(`${PLACES}?limit=1&sortby=name`)).toMatchObject({
      numberMatched: 2,
      features: [{ properties: { name: 'Elsewhere' } }],
    })
  })
})
