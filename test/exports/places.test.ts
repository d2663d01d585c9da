import { beforeEach, describe, expect, it } from 'vitest'

import { GREEN } from '../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'

const app = useApp()
const LICENCE = 'CC BY-NC-SA 3.0 US, https://creativecommons.org/licenses/by-nc-sa/3.0/us/'
const ATTRIBUTION = `Fixpoint, ${PUBLIC_URL}/`

beforeEach(() => app.create.place({ url_name: 'new-haven', size: 0.1 }))

const download = async (path: string) => {
  const response = await app.as.anonymous.send('GET', path)
  expect(response.status, response.text).toBe(200)
  return response
}

describe('GET /exports/places.{format}', () => {
  const idsOf = async (query: string, path = '/exports/places.geojson') => {
    const { text } = await download(`${path}${query}`)
    return (JSON.parse(text) as { features: { properties: { url_name: string } }[] }).features.map(
      ({ properties }) => properties.url_name,
    )
  }

  it('returns places with their boundaries in every format that has them', async () => {
    const geojson = JSON.parse((await download('/exports/places.geojson')).text) as { features: unknown[] }
    const [line] = (await download('/exports/places.geojsonl')).text.split('\n')
    const kml = (await download('/exports/places.kml')).text
    const csv = (await download('/exports/places.csv')).text

    expect(geojson).toMatchObject({ name: 'places', numberMatched: 1 })
    expect(geojson.features).toEqual([
      {
        type: 'Feature',
        id: 1,
        geometry: { type: 'MultiPolygon', coordinates: [[expect.any(Array)]] },
        properties: expect.objectContaining({ id: 1, url_name: 'new-haven', place_type: 'City' }) as object,
      },
    ])
    expect(JSON.parse(line ?? '')).toEqual({ ...(geojson.features[0] as object), licence: LICENCE, attribution: ATTRIBUTION })
    // A single part is a Polygon.
    expect(kml).toContain('</ExtendedData><Polygon><outerBoundaryIs><LinearRing><coordinates>')
    const [header] = csv.split('\r\n')
    expect(header).toBe(
      'id,name,url_name,place_type,county,state,area_m2,center_lng,center_lat,html_url,url,external_id,parent_id,time_zone',
    )
  })

  it.each(['/exports/places.geojson', '/ogc/collections/places/items'])(
    'selects the places whose boundary touches the area: %s',
    async (path) => {
      const idsIn = (query: string) => idsOf(query, path)
      await app.create.place({ url_name: 'east', around: { lng: GREEN.lng + 1, lat: GREEN.lat }, size: 0.1 })
      const { lng, lat } = GREEN
      const polygon = JSON.stringify({
        type: 'Polygon',
        coordinates: [
          [
            [lng + 0.9, lat],
            [lng + 1, lat],
            [lng + 1, lat + 0.01],
            [lng + 0.9, lat],
          ],
        ],
      })

      expect(await idsIn('')).toEqual(['new-haven', 'east'])
      expect(await idsIn('?place_url=east')).toEqual(['east'])
      expect(await idsIn(`?min_lat=${lat}&max_lat=${lat + 1}&min_lng=${lng}&max_lng=${lng + 0.5}`)).toEqual(['new-haven'])
      expect(await idsIn(`?min_lat=${lat}&max_lat=${lat + 1}&min_lng=${lng + 0.5}&max_lng=${lng - 5}`)).toEqual(['east'])
      expect(await idsIn(`?lat=${lat}&lng=${lng}&radius=20000`)).toEqual(['new-haven'])
      expect(await idsIn(`?area=${encodeURIComponent(polygon)}`)).toEqual(['east'])
    },
  )

  it('names the time zone and the parent, which is the smallest larger place that covers the centre', async () => {
    await app.create.place({ url_name: 'county', place_type: 'County', size: 0.1 })
    await app.create.place({ url_name: 'ward', size: 0.05, around: { lng: GREEN.lng + 0.08, lat: GREEN.lat } })
    await app.create.place({ url_name: 'state', size: 1 })
    await app.create.place({ url_name: 'sea', size: 1, around: { lng: 2, lat: 1 } })
    await app.db.prisma.place.updateMany({ where: { url_name: 'county' }, data: { external_id: '09009' } })

    const { features } = JSON.parse((await download('/exports/places.geojson')).text) as { features: { properties: object }[] }

    const zone = 'America/New_York'
    expect(features.map(({ properties }) => properties)).toMatchObject([
      { url_name: 'new-haven', external_id: null, parent_id: 2, time_zone: zone },
      { url_name: 'county', external_id: '09009', parent_id: 4, time_zone: zone },
      { url_name: 'ward', external_id: null, parent_id: 1, time_zone: zone },
      { url_name: 'state', external_id: null, parent_id: null, time_zone: zone },
      { url_name: 'sea', external_id: null, parent_id: null, time_zone: 'Etc/GMT' },
    ])
  })

  it('continues after an id', async () => {
    await app.create.place({ url_name: 'east' })

    expect(await idsOf('?after_id=1')).toEqual(['east'])
  })

  it('returns 404 for GPX, which has no polygons', async () => {
    const { status, body } = await app.as.anonymous.send('GET', '/exports/places.gpx')

    expect([status, body]).toMatchObject([404, { message: expect.stringContaining('geojson') as string }])
  })
})
