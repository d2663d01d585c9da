import { VectorTile } from '@mapbox/vector-tile'
import { validateStyleMin } from '@maplibre/maplibre-gl-style-spec'
import { PbfReader } from 'pbf'
import { describe, expect, it } from 'vitest'

import { type Point, mercatorY } from '../../../src/geo/shapes.ts'
import { useApp } from '../../helpers/use-app.ts'

const CENTRE = { lng: -104.9903, lat: 39.7392 }

describe('the streets of the demo', () => {
  const app = useApp()
  const get = (url: string) => app.fastify.inject({ method: 'GET', url, headers: { 'user-agent': 'Mozilla/5.0' } })
  const style = async (query = '') => (await get(`/map/style.json${query}`)).json<{ sources: Record<string, object> }>()
  const tilePath = ({ lng, lat }: Point, zoom: number) =>
    `/basemap/${zoom}/${Math.floor(((lng + 180) / 360) * 2 ** zoom)}/${Math.floor(mercatorY(lat) * 2 ** zoom)}.mvt`
  const addDemoPlace = async () => {
    const { id } = await app.create.place({ name: 'Denver', url_name: 'denver', around: CENTRE })
    await app.db.prisma.place.update({ where: { id }, data: { import_key: 'demo:denver' } })
  }

  it.each(['?scheme=light', '?scheme=dark&language=es', '?own=true'])(
    'are in the own base map %s, which says that they are invented',
    async (query) => {
      await addDemoPlace()

      const shown = await style(query)

      expect(validateStyleMin(shown as never)).toEqual([])
      expect(shown.sources['streets']).toMatchObject({
        type: 'vector',
        attribution: expect.stringMatching(/^Invented streets$|^Calles inventadas$/),
      })
    },
  )

  it('have names in tiles, side streets only in those of the largest zooms', async () => {
    await addDemoPlace()

    const [near, far, elsewhere] = await Promise.all([
      get(tilePath(CENTRE, 14)),
      get(tilePath(CENTRE, 11)),
      get(tilePath({ lng: 10, lat: 50 }, 14)),
    ])

    const namesIn = ({ rawPayload }: { rawPayload: Buffer }, kind: string) => {
      const layer = new VectorTile(new PbfReader(rawPayload)).layers['streets']
      const features = Array.from({ length: layer?.length ?? 0 }, (_, index) => layer!.feature(index).properties)
      return features.filter((properties) => properties['kind'] === kind).map(({ name }) => name)
    }
    expect(namesIn(near, 'main')).toContain('E Colfax Ave')
    expect(namesIn(near, 'side').length).toBeGreaterThan(20)
    expect(namesIn(far, 'main')).toContain('E Colfax Ave')
    expect(namesIn(far, 'side')).toEqual([])
    expect(elsewhere.statusCode).toBe(204)
  })

  it('are in the drawn map', async () => {
    await addDemoPlace()

    const { text } = await app.as.anonymous.send('GET', `/map/drawing.svg?lat=${CENTRE.lat}&lng=${CENTRE.lng}&zoom=16`)

    expect(text).toMatch(/<path class="streets side" .*<path class="streets main" /s)
    expect(text).toMatch(/<textPath href="#street-\d+" startOffset="50%">E Colfax Ave</)
  })

  it('are nowhere without the demo', async () => {
    await app.create.place({ name: 'Denver', url_name: 'denver', around: CENTRE })

    const drawn = await app.as.anonymous.send('GET', `/map/drawing.svg?lat=${CENTRE.lat}&lng=${CENTRE.lng}&zoom=16`)

    expect(Object.keys((await style()).sources)).toEqual(['land', 'borders', 'names', 'places'])
    expect((await get(tilePath(CENTRE, 14))).statusCode).toBe(204)
    expect(drawn.text).not.toContain('class="streets')
  })
})
