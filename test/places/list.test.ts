import { describe, expect, it } from 'vitest'

import { square } from '../helpers/factories.ts'
import type { ApiResponse } from '../helpers/client.ts'
import { useApp } from '../helpers/use-app.ts'

const HERE = { lng: -104.99, lat: 39.74 }

describe('GET /places', () => {
  const app = useApp()

  const namesIn = (answer: ApiResponse) => {
    expect(answer.status, answer.text).toBe(200)
    return (answer.body as { places: { url_name: string }[] }).places.map(({ url_name }) => url_name)
  }
  const near = async (query = '', { lng, lat } = HERE) =>
    namesIn(await app.as.anonymous.get(`/places?lat=${lat}&lng=${lng}${query}`))

  const createEast = (url_name: string, away: number, size = 0.1) =>
    app.create.place({ url_name, around: { lng: HERE.lng + away + size, lat: HERE.lat }, size })

  it('lists places that cover the point, smallest first, then the nearest others', async () => {
    await createEast('far', 3)
    await createEast('near', 1)
    await app.create.place({ url_name: 'state', around: HERE, size: 2 })
    await app.create.place({ url_name: 'city', around: HERE, size: 0.2 })
    await app.create.place({ url_name: 'county', around: HERE, size: 0.5 })

    expect(await near()).toEqual(['city', 'county', 'state', 'near', 'far'])
  })

  it('marks places that contain the point, including their edges', async () => {
    await app.create.place({ url_name: 'around', around: HERE, size: 0.5 })
    await app.create.place({ url_name: 'edge', around: { lng: HERE.lng + 1, lat: HERE.lat }, size: 1 })
    await createEast('adjacent', 0.01)

    const { body } = await app.as.anonymous.get(`/places?lat=${HERE.lat}&lng=${HERE.lng}`)

    const places = (body as { places: { url_name: string; contains: boolean }[] }).places
    expect(places.map(({ url_name, contains }) => [url_name, contains])).toEqual([
      ['around', true],
      ['edge', true],
      ['adjacent', false],
    ])
  })

  it('treats a point on the edge as inside', async () => {
    await app.create.place({ url_name: 'edge', around: { lng: -104.5, lat: 39.5 }, size: 0.5 })
    await app.create.place({ url_name: 'corner', around: { lng: -105.25, lat: 39.25 }, size: 0.25 })

    expect(await near('', { lng: -105, lat: 39.5 })).toEqual(['corner', 'edge'])
  })

  it('treats a point in a hole as outside', async () => {
    const { coordinates } = square(HERE, 1)
    const hole = square(HERE, 0.5).coordinates.map((ring) => ring.toReversed())
    await app.create.place({ url_name: 'ring', boundary: { type: 'Polygon', coordinates: [...coordinates, ...hole] } })
    await app.create.place({ url_name: 'large', around: HERE, size: 3 })

    expect(await near()).toEqual(['large', 'ring'])
  })

  it('orders places of equal distance by area, then by id, across pages', async () => {
    const east = square({ lng: HERE.lng + 1, lat: HERE.lat }).coordinates
    const farther = square({ lng: HERE.lng + 3, lat: HERE.lat }).coordinates
    await app.create.place({ url_name: 'two-parts', boundary: { type: 'MultiPolygon', coordinates: [east, farther] } })
    await app.create.place({ url_name: 'one-part', boundary: { type: 'Polygon', coordinates: east } })
    await app.create.place({ url_name: 'the-same', boundary: { type: 'Polygon', coordinates: east } })
    const pages = [1, 2, 3].map((page) => near(`&per_page=1&page=${page}`))

    expect((await Promise.all(pages)).flat()).toEqual(['one-part', 'the-same', 'two-parts'])
  })

  it('compares distances in metres, not in degrees', async () => {
    await createEast('east', 1.2)
    await app.create.place({ url_name: 'north', around: { lng: HERE.lng, lat: HERE.lat + 1.1 }, size: 0.1 })

    expect(await near()).toEqual(['east', 'north'])
  })

  it('measures the distance to straight edges, not to geodesics', async () => {
    const state = (west: number, south: number, east: number, north: number) => ({
      type: 'Polygon',
      coordinates: [[[west, south], [east, south], [east, north], [west, north], [west, south]]],
    }) // prettier-ignore
    await app.create.place({ url_name: 'colorado', boundary: state(-109, 37, -102, 41) })
    // This state is larger than its southern neighbour, so a distance of 0 to both would put it second.
    await app.create.place({ url_name: 'wyoming', boundary: state(-111, 41, -100, 45) })
    const northOfTheBorder = { lng: -105.5, lat: 41.02 }

    expect(await near('', northOfTheBorder)).toEqual(['wyoming', 'colorado'])
  })

  it('measures distances across the antimeridian and the poles', async () => {
    await app.create.place({ url_name: 'left', around: { lng: 177, lat: 0 }, size: 0.5 })
    await app.create.place({ url_name: 'right', around: { lng: -179, lat: 0 }, size: 0.5 })
    await app.create.place({ url_name: 'arctic', around: { lng: -100, lat: 85 }, size: 0.5 })

    expect(await near('', { lng: 179.9, lat: 0 })).toEqual(['right', 'left', 'arctic'])
    expect(await near('', { lng: 80, lat: 89 })).toEqual(['arctic', 'left', 'right'])
  })

  it('returns places as GET /places/:id does, with pagination', async () => {
    await app.create.place({ url_name: 'denver', name: 'Denver', around: HERE, size: 0.25 })
    await createEast('aurora', 1)
    const place = (await app.as.anonymous.get('/places/denver')).body

    const { body } = await app.as.anonymous.get('/places?lat=39.74&lng=-104.99&per_page=1')

    const address = 'http://fixpoint.test/api/v2/places?lat=39.74&lng=-104.99&page=2&per_page=1'
    expect(body).toEqual({
      metadata: {
        pagination: {
          entries: 2,
          page: 1,
          per_page: 1,
          pages: 2,
          next_page: 2,
          next_page_url: address,
          previous_page: null,
          previous_page_url: null,
        },
      },
      places: [{ ...(place as object), contains: true }],
      errors: {},
    })
    expect(await near('&per_page=1&page=2')).toEqual(['aurora'])
    expect(await near('&per_page=1&page=3')).toEqual([])
  })

  it('returns 400 without a point', async () => {
    const { status, body } = await app.as.anonymous.get('/places')

    expect([status, (body as { message: string }).message]).toEqual([400, expect.stringContaining('point')])
  })

  it.each([
    ['lng=1', { lat: 'is required together with lng' }],
    ['lat=1&lng=-180.5', { lng: 'must be a number from -180 to 180' }],
    ['lat=NaN&lng=0', { lat: 'must be a number from -90 to 90' }],
    ['lat=1&lng=1&page=x', { page: 'must be an integer' }],
  ])('returns 422 for %s', async (query, errors) => {
    const { status, body } = await app.as.anonymous.get(`/places?${query}`)

    expect([status, body]).toEqual([422, errors])
  })
})

describe('GET /places/:id', () => {
  const app = useApp({ keepRows: true })

  it('returns the place by id and by url_name', async () => {
    const { id } = await app.create.place({ url_name: 'denver', name: 'Denver', around: { lng: -105, lat: 39.5 }, size: 0.25 })

    const byId = await app.as.anonymous.get(`/places/${id}`)
    const byName = await app.as.anonymous.get('/places/denver')

    const icon = 'http://fixpoint.test/files/icons/place.svg'
    expect(byId.status).toBe(200)
    expect(byId.body).toEqual({
      id,
      name: 'Denver',
      url_name: 'denver',
      county: 'Some County',
      state: 'CT',
      center: { type: 'Point', coordinates: [-105, 39.5] },
      place_type: 'City',
      avatar: { full: icon, square: icon },
      url: `http://fixpoint.test/api/v2/places/${id}`,
      html_url: 'http://fixpoint.test/places/denver',
      html_report_url: 'http://fixpoint.test/places/denver/report',
    })
    expect(byName.body).toEqual(byId.body)
  })

  it.each(['999', '0', '-1', '2147483648', 'atlantis', 'Denver', 'a%00b', "'", 'x'.repeat(150)])(
    'returns 404 for %s',
    async (id) => {
      expect((await app.as.anonymous.get(`/places/${id}`)).status).toBe(404)
    },
  )
})
