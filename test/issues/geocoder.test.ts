import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'

import { createAddressSearch, createGeocoder, requestJson } from '../../src/geo/geocoder.ts'
import { FAR_AWAY, GREEN, square } from '../helpers/factories.ts'
import { issuesUrl, type Parameters, fetchTitles } from '../helpers/issue-list.ts'
import { useApp } from '../helpers/use-app.ts'

const REFUSED = { address: 'is not geocoded here: geocode the address on the client and send lat and lng' }

/** These queries are rejected without the geocoder, because a mistyped area must not list all issues. */
const incompleteAreas: [string, Parameters, string[]][] = [
  ['half a point', { address: 'Church St', lat: 41 }, ['lng']],
  ['the other half with zoom', { address: 'Church St', lng: -72, zoom: 12 }, ['lat']],
  ['a point and one corner', { address: 'Church St', ...GREEN, min_lat: 1 }, ['max_lat', 'max_lng', 'min_lng']],
]

describe('GET /issues with an address, without a geocoder', () => {
  const app = useApp()

  it.each<[string, Parameters]>([
    ['with zoom', { address: '165 Church St, New Haven', zoom: 12 }],
    ['alone', { address: '165 Church St, New Haven' }],
    ['before a later form', { address: '165 Church St, New Haven', zoom: 12, min_lat: 0, min_lng: 0, max_lat: 1, max_lng: 1 }],
  ])('is rejected with an alternative: %s', async (_, parameters) => {
    const { status, body } = await app.as.anonymous.get(issuesUrl(parameters))

    expect([status, body]).toEqual([422, REFUSED])
  })

  it('is ignored with a point', async () => {
    await app.create.issue({ summary: 'Here', at: GREEN })

    expect(await fetchTitles(app.as.anonymous, { ...GREEN, zoom: 12, address: 'Nowhere 1' })).toEqual(['Here'])
    expect(await fetchTitles(app.as.anonymous, { ...GREEN, address: 'Nowhere 1', sort: 'distance' })).toEqual(['Here'])
  })

  it('is ignored with a place or a box, as with a geocoder', async () => {
    await app.create.issue({ summary: 'Here', at: GREEN })
    await app.create.issue({ summary: 'There', at: FAR_AWAY })
    await app.create.place({ url_name: 'here', around: GREEN })
    const address = 'Nowhere 1'

    expect(await fetchTitles(app.as.anonymous, { address, place_url: 'here' })).toEqual(['Here'])
    expect(await fetchTitles(app.as.anonymous, { address, min_lat: 41, min_lng: -74, max_lat: 42, max_lng: -72 })).toEqual(['Here'])
    expect(await fetchTitles(app.as.anonymous, { address, area: JSON.stringify(square(GREEN)) })).toEqual(['Here'])
  })

  it.each(incompleteAreas)('does not replace missing parameters: %s', async (_, parameters, missing) => {
    const { status, body } = await app.as.anonymous.get(issuesUrl(parameters))

    expect([status, Object.keys(body as object).toSorted()]).toEqual([422, missing])
  })

  it('is rejected where a point is required', async () => {
    const form = await app.as.anonymous.get('/issues/new?address=Church+St')
    const places = await app.as.anonymous.get('/places?address=Church+St')

    expect([form.status, form.body]).toEqual([422, REFUSED])
    expect([places.status, places.body]).toEqual([422, REFUSED])
  })
})

type Reply = (response: ServerResponse) => unknown

function openGeocoder(): Promise<{ server: Server; url: string; answers: Map<string, string | Reply>; requests: string[] }> {
  const answers = new Map<string, string | Reply>()
  const requests: string[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://geocoder.invalid')
    requests.push(`${url.pathname} ${url.searchParams.get('q')} ${url.searchParams.get('format')}`)
    const answer = answers.get(url.searchParams.get('q') ?? '') ?? '[]'
    if (typeof answer === 'string') response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
    else answer(response)
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      resolve({ server, url, answers, requests })
    })
  })
}

const geocoder = await openGeocoder()

describe('GET /issues with an address, with a geocoder', () => {
  const app = useApp({ env: { GEOCODER_URL: geocoder.url, GEOCODER_LIMIT: '1000' } })
  beforeEach(() => {
    geocoder.answers.clear()
    geocoder.requests.length = 0
  })
  afterAll(() => {
    geocoder.server.close()
    geocoder.server.closeAllConnections()
  })

  const found = (lng: unknown, lat: unknown) => JSON.stringify([{ lon: lng, lat, display_name: 'Found' }])

  it('is an area with zoom, and is cached after one lookup', async () => {
    await app.create.issue({ summary: 'Here', at: GREEN })
    await app.create.issue({ summary: 'There', at: FAR_AWAY })
    geocoder.answers.set('165 Church St', found(String(GREEN.lng), String(GREEN.lat)))

    expect(await fetchTitles(app.as.anonymous, { address: '165 Church St', zoom: 12 })).toEqual(['Here'])
    expect(await fetchTitles(app.as.anonymous, { address: ' 165 CHURCH st', zoom: 12, place_url: 'atlantis' })).toEqual(['Here'])
    expect(geocoder.requests).toEqual(['/search 165 Church St jsonv2'])
  })

  it('is the origin of distances without zoom, with another area', async () => {
    await app.create.issue({ summary: 'Here', at: GREEN })
    await app.create.issue({ summary: 'There', at: FAR_AWAY })
    geocoder.answers.set('Far End', found(FAR_AWAY.lng, FAR_AWAY.lat))

    expect(await fetchTitles(app.as.anonymous, { address: 'Far End', sort: 'distance' })).toEqual(['There', 'Here'])
    const box = { min_lat: -90, min_lng: -180, max_lat: 90, max_lng: 180 }
    expect(await fetchTitles(app.as.anonymous, { address: 'Far End', sort: 'distance', ...box })).toEqual(['There', 'Here'])
  })

  it.each(incompleteAreas)('does not call the geocoder if parameters are missing: %s', async (_, parameters, missing) => {
    const { status, body } = await app.as.anonymous.get(issuesUrl(parameters))

    expect([status, Object.keys(body as object).toSorted()]).toEqual([422, missing])
    expect(geocoder.requests).toEqual([])
  })

  it('does not replace the fourth corner of a box', async () => {
    geocoder.answers.set('Corner St', found(GREEN.lng, GREEN.lat))

    const { status, body } = await app.as.anonymous.get(issuesUrl({ address: 'Corner St', min_lat: 1, min_lng: 1, max_lat: 2 }))

    expect([status, body]).toEqual([422, { max_lng: 'is required together with min_lat, min_lng, max_lat' }])
  })

  it('is not looked up with a point, with and without zoom', async () => {
    await app.create.issue({ summary: 'Here', at: GREEN })
    await app.create.issue({ summary: 'There', at: FAR_AWAY })
    geocoder.answers.set('Elsewhere', found(FAR_AWAY.lng, FAR_AWAY.lat))

    expect(await fetchTitles(app.as.anonymous, { ...GREEN, zoom: 12, address: 'Elsewhere' })).toEqual(['Here'])
    expect(await fetchTitles(app.as.anonymous, { ...GREEN, address: 'Elsewhere', sort: 'distance' })).toEqual(['Here', 'There'])
    expect(geocoder.requests).toEqual([])
  })

  it('rejects an address that the geocoder does not know', async () => {
    const { status, body } = await app.as.anonymous.get(issuesUrl({ address: 'Nowhere 1', zoom: 12 }))

    expect([status, body]).toEqual([422, { address: 'was not found: send lat and lng instead' }])
  })

  it.each<[string, string | Reply]>([
    ['no coordinates', found(null, null)],
    ['blank coordinates', found('', '')],
    ['coordinates off the world', found('181', '12')],
    ['something else than a list', '{"lat": 1, "lon": 1}'],
    ['a list of nothing', '[null]'],
    ['no JSON', '<html>Sorry</html>'],
    ['an error', (response) => response.writeHead(500).end('[]')],
    ['another address', (response) => response.writeHead(302, { location: `${geocoder.url}/search?q=Church+St` }).end()],
    ['more than 64 KB', (response) => response.end(`[${' '.repeat(65_536)}]`)],
    ['half an answer', (response) => response.write('[', () => response.destroy())],
  ])('returns 503 with Retry-After if the geocoder returns %s, and does not cache it', async (said, answer) => {
    await app.create.issue({ summary: 'Here', at: GREEN })
    const address = `Broken St ${said}`
    geocoder.answers.set(address, answer)
    const during = await app.as.anonymous.get(issuesUrl({ address, zoom: 12 }))
    geocoder.answers.set(address, found(GREEN.lng, GREEN.lat))
    const after = await fetchTitles(app.as.anonymous, { address, zoom: 12 })

    const { message } = during.body as { message: string }
    expect([during.status, message]).toEqual([503, 'The geocoder is not available: try again later, or send lat and lng.'])
    expect(Number(during.headers['retry-after'])).toBeGreaterThan(0)
    expect(after).toEqual(['Here'])
  })

  it('stops reading a response of the geocoder at its maximum length', async () => {
    const closed = Promise.withResolvers<number>()
    geocoder.answers.set('Endless St', (response) => {
      let sent = 0
      const more = () => {
        while (!response.destroyed && response.write(' '.repeat(16_384))) sent += 16_384
      }
      response.on('drain', more).on('close', () => closed.resolve(sent))
      more()
    })

    const { status } = await app.as.anonymous.get(issuesUrl({ address: 'Endless St', zoom: 12 }))

    expect(status).toBe(503)
    expect(await closed.promise).toBeLessThan(50_000_000)
  })

  it('times out while it waits for a response of the geocoder or for its end', async () => {
    const geocode = createGeocoder(createAddressSearch(geocoder.url, requestJson, 100))
    geocoder.answers.set('Silent St', () => undefined)
    geocoder.answers.set('Slow St', (response) => response.write('['))

    await expect(geocode('Silent St')).rejects.toMatchObject({ status: 503 })
    await expect(geocode('Slow St')).rejects.toMatchObject({ status: 503 })
  })

  it('returns the report form of an address', async () => {
    geocoder.answers.set('Church St', found(GREEN.lng, GREEN.lat))

    const { status, body } = await app.as.anonymous.get('/issues/new?address=Church+St')

    expect(status).toBe(200)
    expect(body).toMatchObject({
      request_types: [
        {
          organization: null,
          title: 'Other',
          url: 'http://fixpoint.test/api/v2/request_types/other',
          potential_duplicate_issues_url: `http://fixpoint.test/api/v2/issues/duplicates?lat=${GREEN.lat}&lng=${GREEN.lng}&request_type_id=other`,
        },
      ],
    })
  })
})
