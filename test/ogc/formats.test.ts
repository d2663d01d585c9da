import { describe, expect, it } from 'vitest'

import { FAR_AWAY, GREEN } from '../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { createReader, ISSUES, PLACES } from './reader.ts'

const app = useApp()
const { ask, readIds } = createReader(app)

describe('coordinate reference systems', () => {
  const EPSG = 'http://www.opengis.net/def/crs/EPSG/0'

  it('return latitude first in EPSG:4326 and metres in EPSG:3857', async () => {
    await app.create.issue({ at: { lng: -105, lat: 39.5 } })

    const geographic = await ask(`${ISSUES}?crs=${EPSG}/4326`)
    const mercator = await ask(`${ISSUES}?crs=${EPSG}/3857`)

    expect(geographic.headers['content-crs']).toBe(`<${EPSG}/4326>`)
    expect(JSON.parse(geographic.text)).toMatchObject({ features: [{ geometry: { coordinates: [39.5, -105] } }] })
    const [x, y] = (JSON.parse(mercator.text) as { features: [{ geometry: { coordinates: [number, number] } }] }).features[0]
      .geometry.coordinates
    // The values are those of PROJ (cs2cs EPSG:4326 EPSG:3857).
    expect(x).toBeCloseTo(-11_688_546.533, 2)
    expect(y).toBeCloseTo(4_793_547.459, 2)
  })

  it('apply to the box', async () => {
    const issue = await app.create.issue({ at: { lng: -105, lat: 39.5 } })
    await app.create.issue({ at: FAR_AWAY })

    expect(await readIds(`${ISSUES}?bbox=39,-106,40,-104&bbox-crs=${EPSG}/4326`)).toEqual([issue])
    expect(await readIds(`${ISSUES}?bbox=-11700000,4700000,-11600000,4800000&bbox-crs=${EPSG}/3857`)).toEqual([issue])
  })
})

describe('content negotiation', () => {
  it.each([
    ['text/html', 'text/html; charset=utf-8'],
    ['application/geo+json', 'application/geo+json; charset=utf-8'],
    ['application/vnd.ogc.fg+json', 'application/vnd.ogc.fg+json; charset=utf-8'],
  ])('responds with %s', async (accept, type) => {
    await app.create.issue()

    const response = await ask(ISSUES, accept)

    expect(response.status).toBe(200)
    expect(response.headers['content-type']).toBe(type)
  })

  it('returns JSON-FG with the time, and the place in another system', async () => {
    await app.create.issue({ at: { lng: -105, lat: 39.5 }, created_at: '2026-01-01T00:00:00Z' })
    const uri = 'http://www.opengis.net/def/crs/EPSG/0/4326'

    const { text } = await ask(`${ISSUES}?f=jsonfg&crs=${uri}`)

    expect(JSON.parse(text)).toMatchObject({
      conformsTo: expect.arrayContaining(['http://www.opengis.net/spec/json-fg-1/1.0/conf/core']),
      featureType: 'issues',
      coordRefSys: uri,
      features: [
        {
          time: { timestamp: '2026-01-01T00:00:00Z' },
          geometry: { type: 'Point', coordinates: [-105, 39.5] },
          place: { type: 'Point', coordinates: [39.5, -105] },
        },
      ],
    })
  })

  it('returns one item as JSON-FG', async () => {
    const issue = await app.create.issue({ at: GREEN, created_at: '2026-01-01T00:00:00Z' })

    const { text, headers } = await ask(`${ISSUES}/${issue}?f=jsonfg&properties=id`)

    expect(headers['content-type']).toBe('application/vnd.ogc.fg+json; charset=utf-8')
    expect(JSON.parse(text)).toEqual({
      conformsTo: expect.arrayContaining(['http://www.opengis.net/spec/json-fg-1/1.0/conf/types-schemas']),
      type: 'Feature',
      featureType: 'issues',
      featureSchema: `${PUBLIC_URL}/ogc/collections/issues/schema`,
      coordRefSys: 'http://www.opengis.net/def/crs/OGC/1.3/CRS84',
      id: issue,
      time: { timestamp: '2026-01-01T00:00:00Z' },
      place: null,
      geometry: { type: 'Point', coordinates: [GREEN.lng, GREEN.lat] },
      properties: { id: issue },
      links: expect.arrayContaining([expect.objectContaining({ rel: 'self', type: 'application/vnd.ogc.fg+json' })]),
    })
  })

  it('returns places as JSON-FG, which have no time', async () => {
    const { id } = await app.create.place({ url_name: 'new-haven', around: GREEN })

    const list = await ask(`${PLACES}?f=jsonfg&properties=url_name`)
    const one = await ask(`${PLACES}/${id}?f=jsonfg&crs=EPSG:3857`)

    const geometry = expect.objectContaining({ type: 'MultiPolygon' })
    expect(JSON.parse(list.text)).toMatchObject({
      featureType: 'places',
      features: [{ id, time: null, place: null, geometry, properties: { url_name: 'new-haven' } }],
    })
    expect(JSON.parse(one.text)).toMatchObject({ id, time: null, place: geometry, geometry })
  })
})
