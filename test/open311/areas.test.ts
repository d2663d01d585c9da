import type { FeatureCollection, MultiPolygon, Position } from 'geojson'
import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { withoutTriggers } from '../helpers/without-triggers.ts'
import { takePage } from '../../src/open311/areas/routes.ts'
import { FAR_AWAY, GREEN } from '../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { createReader, linkOf, V2 } from './reader.ts'

const app = useApp()
const { ask } = createReader(app)
const readAreas = async (query = '', root = '') =>
  JSON.parse((await ask(`${root}/areas.geojson${query}`)).text) as FeatureCollection<MultiPolygon>
const namesAt = async (query: string, root = '') =>
  (await readAreas(query, root)).features.map(({ properties }) => String(properties?.['jurisdiction_id']))

/** Returns twice the signed area of a ring: positive if it is counterclockwise. */
const signedArea = (ring: readonly Position[]) =>
  ring.slice(1).reduce((sum, [x = 0, y = 0], index) => {
    const [x0 = 0, y0 = 0] = ring[index] ?? []
    return sum + (x0 * y - x * y0)
  }, 0)

describe('GET areas.geojson', () => {
  it('returns the area of each organisation with its endpoint and service codes', async () => {
    const roads = await app.create.organization({ name: 'Roads' })
    const parks = await app.create.organization({ name: 'Parks', around: FAR_AWAY })
    const hole = await app.create.requestType({ organization: roads })
    const lamp = await app.create.requestType({ organization: roads })
    const old = await app.create.requestType({ organization: roads })
    await app.db.prisma.requestType.update({ where: { id: old }, data: { active: false } })

    const { headers } = await ask('/areas.geojson')
    const collection = await readAreas()

    expect(headers).toMatchObject({ 'content-type': 'application/geo+json; charset=utf-8', 'x-total-count': '2' })
    expect(collection).toMatchObject({ type: 'FeatureCollection', numberMatched: 2, numberReturned: 2 })
    expect(collection.features.map(({ id, properties }) => ({ id, properties }))).toEqual([
      {
        id: roads,
        properties: {
          jurisdiction_id: 'Roads',
          url: `${PUBLIC_URL}/open311/v2/${roads}`,
          service_codes: [String(hole), String(lamp)],
        },
      },
      { id: parks, properties: { jurisdiction_id: 'Parks', url: `${PUBLIC_URL}/open311/v2/${parks}`, service_codes: [] } },
    ])
    for (const { geometry } of collection.features) {
      expect(geometry.type).toBe('MultiPolygon')
      expect(signedArea(geometry.coordinates[0]?.[0] ?? [])).toBeGreaterThan(0)
    }
  })

  it('returns the area of one organisation, and those that cover a point', async () => {
    const roads = await app.create.organization({ name: 'Roads' })
    await app.create.organization({ name: 'Parks', around: FAR_AWAY })

    expect(await namesAt('', `/${roads}`)).toEqual(['Roads'])
    expect(await namesAt('?jurisdiction_id=parks')).toEqual(['Parks'])
    expect(await namesAt(`?lat=${GREEN.lat}&long=${GREEN.lng}`)).toEqual(['Roads'])
    expect(await namesAt('?lat=0&long=0')).toEqual([])
    expect((await ask('/999/areas.geojson')).body).toMatchObject([{ code: 404 }])
    expect((await ask('/areas.geojson?lat=91&long=0')).body).toMatchObject([{ code: 400 }])
    expect((await ask('/areas.geojson?after_id=-1')).body).toMatchObject([{ code: 400 }])
  })

  it('continues after an id, in pages that large areas cannot exceed', async () => {
    const first = await app.create.organization({ name: 'Roads' })
    await app.create.organization({ name: 'Parks' })
    const sizes = (...bytes: number[]) =>
      bytes.map((stored_bytes, id) => ({ id, stored_bytes, name: '', changed_at: '', request_type_ids: [] }))

    expect(await namesAt(`?after_id=${first}`)).toEqual(['Parks'])
    expect(takePage(sizes(5, 5, 5), 10).length).toBe(2)
    expect(takePage(sizes(50, 5), 10).length).toBe(1)
    expect(takePage(sizes(), 10).length).toBe(0)
  })

  it('links the next page', async () => {
    const first = await app.create.organization({ name: 'Roads' })
    await app.create.organization({ name: 'Parks' })
    // Each circle has 400,000 positions.
    const circle = 'ST_Multi(ST_Buffer(ST_SetSRID(ST_MakePoint(10, 50), 4326), 1, 100000))'
    await withoutTriggers(app.db, `UPDATE organizations SET area = ${circle}`)

    const { headers, text } = await ask(`/areas.geojson?lat=${GREEN.lat}&long=${GREEN.lng}`)

    const next = linkOf(headers['link'], 'next')
    expect((JSON.parse(text) as FeatureCollection).features.map(({ id }) => id)).toEqual([first])
    expect(next).toBe(`${V2}/areas.geojson?after_id=${first}&lat=${GREEN.lat}&long=${GREEN.lng}`)
    expect(await namesAt(String(next).slice(`${V2}/areas.geojson`.length))).toEqual(['Parks'])
  })

  it('is validated by ETag, which follows areas, names and services', async () => {
    const organization = await app.create.organization({ name: 'Roads' })
    let etag = String((await ask('/areas.geojson')).headers['etag'])
    const changes = [
      () => app.db.prisma.organization.update({ where: { id: organization }, data: { name: 'Streets' } }),
      () => app.db.execute(sql`UPDATE organizations o SET area = ST_Translate(o.area, 0.01, 0) RETURNING o.id`),
      () => app.create.requestType({ organization }),
      () => app.create.organization(),
    ]
    for (const change of changes) {
      expect((await ask('/areas.geojson', { 'if-none-match': etag })).status).toBe(304)
      await change()
      const changed = await ask('/areas.geojson', { 'if-none-match': etag })
      expect(changed.status).toBe(200)
      etag = String(changed.headers['etag'])
    }
  })

  it('is linked from services and discovery', async () => {
    const organization = await app.create.organization({ name: 'Roads' })

    const [all, own] = [await ask('/services'), await ask(`/${organization}/services.xml`)]
    const discovery = await app.as.anonymous.send('GET', '/open311/discovery.xml')

    expect(all.headers['link']).toContain(`<${PUBLIC_URL}${V2}/areas.geojson>; rel="related"; type="application/geo+json"`)
    expect(own.headers['link']).toContain(`<${PUBLIC_URL}${V2}/${organization}/areas.geojson>; rel="related"`)
    expect(discovery.text).toContain(`<service_area_url>${PUBLIC_URL}${V2}/${organization}/areas.geojson</service_area_url>`)
  })
})
