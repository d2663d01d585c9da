import { featureFilter, type FilterSpecification, validateStyleMin } from '@maplibre/maplibre-gl-style-spec'
import type { FeatureCollection, Point } from 'geojson'
import { describe, expect, it } from 'vitest'

import { ADDRESSES, COUNTS, issueLayers, POINTS, SOURCE } from '../../../src/web/map/browser/issue-style/layers.ts'
import { GREEN, square } from '../../helpers/factories.ts'
import { useApp } from '../../helpers/use-app.ts'

interface Layer {
  readonly id: string
  readonly type: string
  readonly layout?: Readonly<Record<string, unknown>>
}

describe('the labels of the own base map', () => {
  const app = useApp()
  const getJson = async <Body>(url: string) => (await app.fastify.inject({ method: 'GET', url })).json<Body>()
  const style = (scheme: string) => getJson<{ sources: object; layers: Layer[] }>(`/map/style.json?scheme=${scheme}&language=es`)
  const labelsOf = async (path: string) => (await getJson<FeatureCollection<Point>>(path)).features

  it.each(['light', 'dark'])('are above the issues and below the clusters, without fonts of a server: %s', async (scheme) => {
    const { sources, layers, ...rest } = await style(scheme)
    const { below, above } = issueLayers({ font: ['sans-serif'], colour: () => '#123456', hasStreets: false })
    const lowest = layers.findIndex(({ id }) => id === 'district-labels')
    const all = [...layers.slice(0, lowest), ...below, ...layers.slice(lowest), ...above] as Layer[]

    const issues = { type: 'vector', url: 'http://127.0.0.1/tiles/issues.json' }
    expect(validateStyleMin({ ...rest, sources: { ...sources, [SOURCE]: issues }, layers: all } as never)).toEqual([])
    expect(Object.keys(rest)).not.toContain('glyphs')
    expect(all.filter(({ layout }) => layout?.['text-field'] !== undefined).map(({ id }) => id)).toEqual([
      ADDRESSES,
      'district-labels',
      'state-labels',
      'country-labels',
      'city-labels',
      COUNTS,
    ])
  })

  it('shows addresses only where the base map has no streets, around the points of issues', () => {
    const options = { font: ['sans-serif'], colour: () => '#123456' }
    const idsOf = (hasStreets: boolean) => issueLayers({ ...options, hasStreets }).below.map(({ id }) => id)

    expect(idsOf(true)).not.toContain(ADDRESSES)
    expect(idsOf(false).slice(-2)).toEqual([ADDRESSES, POINTS])
  })

  it('names countries in the language and states once each', async () => {
    const labels = await labelsOf('/map/names.json?language=es')

    const names = labels.map(({ properties }) => `${properties?.['kind']} ${properties?.['name']}`)
    const some = ['country Estados Unidos', 'country Alemania', 'country Kosovo', 'state Colorado']
    expect(names).toEqual(expect.arrayContaining(some))
    expect(new Set(names).size).toBe(names.length)
  })

  it('has each name in the middle of the largest part of its region', async () => {
    const labels = await labelsOf('/map/names.json')

    const middleOf = (name: string) => labels.find(({ properties }) => properties?.['name'] === name)?.geometry.coordinates
    expect(middleOf('Colorado')).toEqual([expect.closeTo(-105.5, 0), expect.closeTo(39, 0)])
    expect(middleOf('United States')).toEqual([expect.closeTo(-99, 0), expect.closeTo(39.5, 0)])
  })

  it('has a position for each name, also if a part of the region is a sliver without area', async () => {
    const labels = await labelsOf('/map/names.json')

    const unplaced = labels.filter(({ geometry }) => !geometry.coordinates.every(Number.isFinite))
    expect(unplaced.map(({ properties }) => properties?.['name'] as string)).toEqual([])
    const delaware = labels.find(({ properties }) => properties?.['name'] === 'Delaware')
    expect(delaware?.geometry.coordinates).toEqual([expect.closeTo(-75.5, 0), expect.closeTo(39, 0)])
  })

  it('names cities, the largest first, and other places that are neither a city nor a state of the map', async () => {
    const at = (lng: number) => ({ lng: GREEN.lng + lng, lat: GREEN.lat })
    await app.create.place({ name: 'Hamden', place_type: 'City', boundary: square(at(1), 0.02) })
    await app.create.place({ name: 'New Haven', place_type: 'City', boundary: square(GREEN, 0.1) })
    await app.create.place({ name: 'New Haven County', place_type: 'County', boundary: square(GREEN, 0.1) })
    await app.create.place({ name: 'Connecticut', place_type: 'State', boundary: square(GREEN, 1) })
    await app.create.place({ name: 'Wooster Square', place_type: 'Neighborhood', boundary: square(GREEN, 0.01) })

    const labels = (await labelsOf('/map/places.json')).filter(({ geometry }) => geometry.type === 'Point')

    expect(labels.map(({ properties }) => properties)).toEqual([
      { kind: 'city', name: 'New Haven', rank: expect.any(Number) as number, zoom: 8 },
      { kind: 'city', name: 'Hamden', rank: expect.any(Number) as number, zoom: 11 },
      { kind: 'district', name: 'Wooster Square', rank: expect.any(Number) as number, zoom: 12 },
    ])
  })

  it('leave the spot of a report free: a city that is much larger than the view has no name', async () => {
    const { layers } = await style('light')
    const city = layers.find(({ id }) => id === 'city-labels') as unknown as { filter: FilterSpecification }
    const { filter } = featureFilter(city.filter, 'layers[0].filter')
    const feature = { type: 1, properties: { kind: 'city', zoom: 10 } } as const

    expect([3, 13, 14, 18].map((zoom) => filter({ zoom }, feature as never))).toEqual([true, true, false, false])
  })
})
