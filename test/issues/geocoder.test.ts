import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'

import { FAR_AWAY, GREEN } from '../helpers/given.ts'
import { addressOf, type Parameters, titlesOf } from '../helpers/issue-list.ts'
import { useApp } from '../helpers/use-app.ts'

const REFUSED = { address: 'is not geocoded here: geocode the address on the client and send lat and lng' }

describe('GET /issues with an address, without a geocoder', () => {
  const it = useApp()

  test.each<[string, Parameters]>([
    ['with zoom', { address: '165 Church St, New Haven', zoom: 12 }],
    ['alone', { address: '165 Church St, New Haven' }],
    ['before a later form', { address: '165 Church St, New Haven', zoom: 12, min_lat: 0, min_lng: 0, max_lat: 1, max_lng: 1 }],
  ])('is refused and told what to do instead: %s', async (_, parameters) => {
    const { status, body } = await it.as.nobody.get(addressOf(parameters))

    expect([status, body]).toEqual([422, REFUSED])
  })

  test('is not looked at beside a point', async () => {
    await it.given.issue({ summary: 'Here', at: GREEN })

    expect(await titlesOf(it.as.nobody, { ...GREEN, zoom: 12, address: 'Nowhere 1' })).toEqual(['Here'])
    expect(await titlesOf(it.as.nobody, { ...GREEN, address: 'Nowhere 1', sort: 'distance' })).toEqual(['Here'])
  })

  test('is refused where a point is needed', async () => {
    const form = await it.as.nobody.get('/issues/new?address=Church+St')
    const places = await it.as.nobody.get('/places?address=Church+St')

    expect([form.status, form.body]).toEqual([422, REFUSED])
    expect([places.status, places.body]).toEqual([422, REFUSED])
  })
})

/** Answers like Nominatim: with what a test said about the address, and with nothing for others. */
function openGeocoder(): Promise<{ server: Server; url: string; answers: Map<string, string>; asked: string[] }> {
  const answers = new Map<string, string>()
  const asked: string[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://geocoder.invalid')
    asked.push(`${url.pathname} ${url.searchParams.get('q')} ${url.searchParams.get('format')}`)
    const answer = answers.get(url.searchParams.get('q') ?? '') ?? '[]'
    response.writeHead(answer === 'broken' ? 500 : 200, { 'content-type': 'application/json' }).end(answer)
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      resolve({ server, url, answers, asked })
    })
  })
}

const geocoder = await openGeocoder()

describe('GET /issues with an address, with a geocoder', () => {
  const it = useApp({ env: { GEOCODER_URL: geocoder.url } })
  beforeEach(() => {
    geocoder.answers.clear()
    geocoder.asked.length = 0
  })
  afterAll(() => geocoder.server.close())

  const found = (lng: unknown, lat: unknown) => JSON.stringify([{ lon: lng, lat, display_name: 'Found' }])

  test('is an area with zoom, asked for once and remembered', async () => {
    await it.given.issue({ summary: 'Here', at: GREEN })
    await it.given.issue({ summary: 'There', at: FAR_AWAY })
    geocoder.answers.set('165 Church St', found(String(GREEN.lng), String(GREEN.lat)))

    expect(await titlesOf(it.as.nobody, { address: '165 Church St', zoom: 12 })).toEqual(['Here'])
    expect(await titlesOf(it.as.nobody, { address: ' 165 CHURCH st', zoom: 12, place_url: 'atlantis' })).toEqual(['Here'])
    expect(geocoder.asked).toEqual(['/search 165 Church St jsonv2'])
  })

  test('is the origin of distances without zoom, beside another area', async () => {
    await it.given.issue({ summary: 'Here', at: GREEN })
    await it.given.issue({ summary: 'There', at: FAR_AWAY })
    geocoder.answers.set('Far End', found(FAR_AWAY.lng, FAR_AWAY.lat))

    expect(await titlesOf(it.as.nobody, { address: 'Far End', sort: 'distance' })).toEqual(['There', 'Here'])
    const box = { min_lat: -90, min_lng: -180, max_lat: 90, max_lng: 180 }
    expect(await titlesOf(it.as.nobody, { address: 'Far End', sort: 'distance', ...box })).toEqual(['There', 'Here'])
  })

  test.each<[string, string]>([
    ['nothing', '[]'],
    ['no coordinates', found(null, null)],
    ['blank coordinates', found('', '')],
    ['coordinates off the world', found('181', '12')],
    ['something else than a list', '{"lat": 1, "lon": 1}'],
    ['no JSON', 'sorry'],
  ])('refuses an address for which the geocoder knows %s', async (_, answer) => {
    const address = `Address of ${answer}`
    geocoder.answers.set(address, answer)

    const { status, body } = await it.as.nobody.get(addressOf({ address, zoom: 12 }))

    expect([status, body]).toEqual([422, { address: 'was not found: send lat and lng instead' }])
  })

  test('answers 503 with Retry-After while the geocoder is broken, and does not remember that', async () => {
    await it.given.issue({ summary: 'Here', at: GREEN })
    geocoder.answers.set('Broken St', 'broken')
    const during = await it.as.nobody.get(addressOf({ address: 'Broken St', zoom: 12 }))
    geocoder.answers.set('Broken St', found(GREEN.lng, GREEN.lat))
    const after = await titlesOf(it.as.nobody, { address: 'Broken St', zoom: 12 })

    expect([during.status, Number(during.headers['retry-after']) > 0]).toEqual([503, true])
    expect(after).toEqual(['Here'])
  })

  test('gives the report form of an address', async () => {
    geocoder.answers.set('Church St', found(GREEN.lng, GREEN.lat))

    const { status, body } = await it.as.nobody.get('/issues/new?address=Church+St')

    expect(status).toBe(200)
    expect(body).toEqual({
      request_types: [{ organization: null, title: 'Other', url: 'http://fixpoint.test/api/v2/request_types/other' }],
    })
  })
})
