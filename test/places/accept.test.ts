import { describe, expect, it } from 'vitest'

import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { GREEN } from '../helpers/factories.ts'

const GEOJSON = 'application/geo+json'
const TYPE = 'application/geo+json; charset=utf-8'
const HERE = { lng: 10, lat: 50 }
const NEAR = `/places?lat=${HERE.lat}&lng=${HERE.lng}`

const app = useApp()
const ask = (path: string, headers: Record<string, string> = {}) => app.as.anonymous.get(path, { accept: GEOJSON, ...headers })
const at = (path: string) => `${PUBLIC_URL}${path}`

async function createPlaces() {
  const { id } = await app.create.place({ name: 'Middle', url_name: 'middle', around: HERE, size: 1 })
  const { id: other } = await app.create.place({ name: 'Green', url_name: 'green', around: GREEN, size: 1 })
  return { id, other }
}

/** Returns the feature of the place in the middle, except its area. */
const middle = (id: number, more: object = {}) => ({
  type: 'Feature',
  id,
  geometry: {
    type: 'MultiPolygon',
    // The ring follows the right-hand rule (RFC 7946).
    coordinates: [
      [
        [
          [9, 49],
          [11, 49],
          [11, 51],
          [9, 51],
          [9, 49],
        ],
      ],
    ],
  },
  properties: {
    id,
    name: 'Middle',
    url_name: 'middle',
    place_type: 'City',
    county: 'Some County',
    state: 'CT',
    area_m2: expect.any(Number) as number,
    center_lng: HERE.lng,
    center_lat: HERE.lat,
    html_url: at('/places/middle'),
    url: at(`/api/v2/places/${id}`),
    external_id: null,
    parent_id: null,
    time_zone: 'Europe/Berlin',
    ...more,
  },
})

describe('GET /places with Accept: application/geo+json', () => {
  it('returns the places of the list with their boundaries, in its order', async () => {
    const { id, other } = await createPlaces()

    const answer = await ask(NEAR)

    expect([answer.status, answer.headers['content-type']]).toEqual([200, TYPE])
    const { features, ...collection } = JSON.parse(answer.text) as { features: { id: number; properties: object }[] }
    expect(collection).toEqual({
      type: 'FeatureCollection',
      numberMatched: 2,
      numberReturned: 2,
      links: [
        { rel: 'self', type: GEOJSON, href: at(`/api/v2${NEAR}`) },
        {
          rel: 'license',
          type: 'text/html',
          title: 'CC BY-NC-SA 3.0 US',
          href: 'https://creativecommons.org/licenses/by-nc-sa/3.0/us/',
        },
      ],
    })
    expect(features[0]).toEqual(middle(id, { contains: true }))
    expect(features[1]).toMatchObject({ id: other, properties: { url_name: 'green', contains: false } })
  })

  it('returns the pages of the list', async () => {
    const { id, other } = await createPlaces()
    const page = (number: number) => at(`/api/v2/places?lat=50&lng=10&page=${number}&per_page=1`)

    const answers = [await ask(`${NEAR}&per_page=1`), await ask(`${NEAR}&per_page=1&page=2`)]

    const [first, second] = answers.map(({ text }) => JSON.parse(text) as object)
    expect(first).toMatchObject({
      numberMatched: 2,
      numberReturned: 1,
      links: [{}, { rel: 'next', href: page(2) }, {}],
      features: [{ id }],
    })
    expect(second).toMatchObject({ numberReturned: 1, links: [{}, { rel: 'prev', href: page(1) }, {}], features: [{ id: other }] })
  })

  it('returns errors as JSON', async () => {
    const { status, headers } = await ask('/places')

    expect([status, headers['content-type']]).toEqual([400, 'application/json; charset=utf-8'])
  })
})

describe('GET /places/:id with Accept: application/geo+json', () => {
  it('returns the place with its boundary, by id and by url_name', async () => {
    const { id } = await createPlaces()

    const answers = [await ask(`/places/${id}`), await ask('/places/middle')]

    expect(answers.map(({ headers }) => headers['content-type'])).toEqual([TYPE, TYPE])
    expect(answers.map(({ text }) => JSON.parse(text) as object)).toEqual([middle(id), middle(id)])
  })

  it('returns 404 as JSON for an unknown place', async () => {
    const { status, headers } = await ask('/places/nowhere')

    expect([status, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8'])
  })
})

describe.each([NEAR, '/places/middle'])('GET %s', (path) => {
  it('has an ETag for each content type', async () => {
    await createPlaces()
    const [json, geojson] = [await app.as.anonymous.get(path), await ask(path)]
    const tags = [json, geojson].map(({ headers }) => String(headers['etag']))
    const again = (accept: string) =>
      Promise.all(tags.map(async (tag) => (await app.as.anonymous.get(path, { accept, 'if-none-match': tag })).status))

    expect([await again('*/*'), await again(GEOJSON)]).toEqual([
      [304, 200],
      [200, 304],
    ])
    await app.db.prisma.place.updateMany({ data: { name: 'Other' } })
    expect([await again('*/*'), await again(GEOJSON)]).toEqual([
      [200, 200],
      [200, 200],
    ])
  })
})
