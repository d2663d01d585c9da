import { describe, expect, it } from 'vitest'

import { createBrowser } from '../../helpers/browser.ts'
import { FAR_AWAY, GREEN, square } from '../../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../../helpers/use-app.ts'
import { appOn } from '../../http/app-on.ts'

const app = useApp()
const open = (path: string) => createBrowser(app.fastify).get(path)

/** Returns the addresses that the buttons of the page copy. */
const addressesIn = (text: string) =>
  [...text.matchAll(/data-copies="(http[^"]*)"/g)].map(([, url = '']) => url.replaceAll('&amp;', '&').replace(PUBLIC_URL, ''))

const find = (addresses: readonly string[], start: string) => addresses.find((one) => one.startsWith(start)) ?? ''

describe('GET /data', () => {
  it('shows an address of every format and service for everything, and each of them answers', async () => {
    await app.create.issue()

    const { status, text } = await open('/data')

    const addresses = addressesIn(text)
    const answers = await Promise.all(addresses.map((address) => app.as.anonymous.send('GET', address)))
    expect(status).toBe(200)
    expect(addresses).toEqual([
      ...['geojson', 'geojsonl', 'csv', 'gpx', 'kml', 'fgb', 'parquet', 'gpkg'].map((format) => `/exports/issues.${format}`),
      '/feeds/issues.atom?status=open,acknowledged,closed,archived',
      '/feeds/issues.geojson?status=open,acknowledged,closed,archived&per_page=100',
      '/api/v2/issues?status=open,acknowledged,closed,archived',
      '/api/v2/statistics',
      '/ogc/collections/issues/items?f=json',
      '/tiles/issues.json?status=open,acknowledged,closed,archived',
      '/open311/v2/bulk/requests.csv',
    ])
    expect(answers.map((answer) => answer.status)).toEqual(addresses.map(() => 200))
  })

  it('shows addresses that select the issues of the form, whose number it names', async () => {
    await app.create.place({ name: 'New Haven', url_name: 'new-haven', boundary: square(GREEN, 0.02) })
    const found = await app.create.issue({ at: GREEN, summary: 'Pothole', created_at: '2026-02-01T00:00:00Z' })
    await app.create.issue({ at: GREEN, summary: 'Pothole', status: 'Closed', created_at: '2026-02-01T00:00:00Z' })
    await app.create.issue({ at: GREEN, summary: 'Dark lamp', created_at: '2026-02-01T00:00:00Z' })
    await app.create.issue({ at: GREEN, summary: 'Pothole', created_at: '2026-03-01T00:00:00Z' })
    await app.create.issue({ at: FAR_AWAY, summary: 'Pothole', created_at: '2026-02-01T00:00:00Z' })
    const filters = 'status=open&request_types=&search=pothole&after=2026-01-31&before=2026-02-02'

    const place = await open(`/data?data=issues&place=&place_url=new-haven&${filters}`)
    const box = await open(`/data?lat=${GREEN.lat}&lng=${GREEN.lng}&zoom=14&${filters}`)

    const features = [
      ...['/exports/issues.geojson', '/feeds/issues.geojson', '/ogc/'].map((start) => find(addressesIn(place.text), start)),
      ...['/exports/issues.geojson', '/ogc/'].map((start) => find(addressesIn(box.text), start)),
    ]
    const answers = await Promise.all(features.map((address) => app.as.anonymous.send('GET', address)))
    expect(place.visibleText).toContain('1 issue now.')
    expect(place.text).toContain('value="New Haven"')
    expect(place.visibleText).toContain('Open311 knows neither places nor all statuses')
    expect(answers.map(({ text }) => (JSON.parse(text) as { features: { id: number }[] }).features.map(({ id }) => id))).toEqual(
      features.map(() => [found]),
    )
    expect([place, box].map(({ text }) => find(addressesIn(text), '/open311'))).toEqual(['', ''])
  })

  it('has names of formats that are the same in all languages', async () => {
    const { text } = await open('/data')

    const names = [...text.matchAll(/<h3 lang="en">([^<]+)</g)].map(([, name]) => name)
    expect(names.slice(0, 8)).toEqual([
      ...['GeoJSON (RFC 7946)', 'GeoJSONL', 'CSV (RFC 4180)', 'GPX 1.1', 'KML 2.2'],
      ...['FlatGeobuf', 'GeoParquet 1.1', 'GeoPackage 1.3'],
    ])
  })

  it('shows the address of Open311 for statuses that it distinguishes', async () => {
    const created_at = '2026-02-01T23:59:59Z'
    const id = await app.create.issue({ at: GREEN, created_at })
    await app.create.issue({ at: GREEN, created_at: '2026-02-02T00:00:00Z' })
    await app.create.issue({ at: GREEN, created_at, status: 'Closed' })

    const { text } = await open('/data?status=open,acknowledged&before=2026-02-02&min_lat=-89&max_lat=89&min_lng=-179&max_lng=179')

    const bulk = await app.as.anonymous.send('GET', find(addressesIn(text), '/open311'))
    expect(
      bulk.text
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',')[0]),
    ).toEqual([String(id)])
  })

  it('has the changes of the status and the places as tables of their own', async () => {
    const [history, places] = [await open('/data?data=history&status=closed&status=open'), await open('/data?data=places')]

    expect(find(addressesIn(history.text), '/exports/')).toBe('/exports/history.geojson?status=open,closed')
    expect(addressesIn(places.text).some((address) => address.includes('.gpx'))).toBe(false)
    expect(addressesIn(places.text)).toContain('/exports/places.csv')
  })

  it('finds a place by its name and keeps the filters, without scripts', async () => {
    const springfield = { name: 'Springfield', boundary: square(GREEN, 0.02) }
    await app.create.place({ name: 'New Haven', url_name: 'new-haven' })
    await app.create.place({ ...springfield, url_name: 'springfield-il' })
    await app.create.place({ ...springfield, url_name: 'springfield-mo' })

    const exact = await open('/data?place=new%20haven&status=closed')
    const several = await open('/data?place=springfield&status=closed')
    const none = await open('/data?place=atlantis')

    expect([exact.status, exact.headers['location']]).toEqual([303, '/data?place_url=new-haven&status=closed'])
    expect(several.text).toMatch(/<a href="\/data\?status=closed&amp;place_url=springfield-mo">Springfield, Some County, CT<\/a>/)
    expect(none.visibleText).toContain('No place has these words in its name.')
  })

  it('returns 422 for an unknown place and half a box', async () => {
    const statuses = [(await open('/data?place_url=atlantis')).status, (await open('/data?min_lat=1')).status]

    expect(statuses).toEqual([422, 422])
  })

  it.each([
    ['token', 'Whole files need an account here', true],
    ['off', 'This site offers no whole files', false],
  ])('says what EXPORTS=%s allows', async (EXPORTS, sentence, hasFiles) => {
    const { fastify } = await appOn(app.db, { EXPORTS })

    const { text, visibleText } = await createBrowser(fastify).get('/data')

    expect(visibleText).toContain(sentence)
    expect(addressesIn(text).includes('/exports/issues.csv')).toBe(hasFiles)
  })

  it('is linked from the list of a place and of the map with their filters', async () => {
    await app.create.place({ url_name: 'new-haven' })

    const pages = [await open('/places/new-haven?status=closed'), await open('/?place_url=new-haven&status=closed')]

    expect(pages.map(({ text }) => text.includes('href="/data?place_url=new-haven&amp;status=closed"'))).toEqual([true, true])
  })
})
