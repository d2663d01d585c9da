import { featureFilter, type StyleSpecification, validateStyleMin } from '@maplibre/maplibre-gl-style-spec'
import { describe, expect, it } from 'vitest'

import { statuses } from '../../src/issue-lifecycle/status.ts'
import { GREEN } from '../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { fetchTile, tileAt } from './tile-client.ts'

interface Style {
  readonly layers: readonly { readonly id: string; readonly filter?: unknown; readonly paint: Readonly<Record<string, unknown>> }[]
}

interface TileJson {
  readonly tiles: readonly string[]
  readonly bounds: readonly number[]
  readonly vector_layers: readonly { readonly id: string; readonly fields: Readonly<Record<string, string>> }[]
}

describe('GET /tiles/issues.json', () => {
  const app = useApp()

  it('describes tiles that keep the parameters, with the bounds of the area and the licence', async () => {
    await app.create.place({ url_name: 'green', around: GREEN, size: 0.2 })

    const { status, body } = await app.as.anonymous.send('GET', '/tiles/issues.json?place_url=green&status=open')

    expect(status).toBe(200)
    expect(body).toMatchObject({
      tilejson: '3.0.0',
      tiles: [`${PUBLIC_URL}/tiles/issues/{z}/{x}/{y}.mvt?place_url=green&status=open`],
      minzoom: 0,
      maxzoom: 22,
      attribution: `<a href="${PUBLIC_URL}/">Fixpoint</a>, <a href="https://creativecommons.org/licenses/by-nc-sa/3.0/us/" rel="license">CC BY-NC-SA 3.0 US</a>`,
    })
    const { bounds } = body as TileJson
    expect(bounds[0]).toBeLessThan(GREEN.lng)
    expect(bounds[2]).toBeGreaterThan(GREEN.lng)
    expect(Number(bounds[2]) - Number(bounds[0])).toBeLessThan(1)
  })

  it('names every field of the tiles', async () => {
    const at = { at: GREEN, address: '250 Church St', request_type: await app.create.requestType() }
    await app.create.issue(at)

    const { body } = await app.as.anonymous.send('GET', '/tiles/issues.json')
    const tiles = [await fetchTile(app, tileAt(GREEN, 16)), await fetchTile(app, tileAt(GREEN, 5))]

    const [layer] = (body as TileJson).vector_layers
    const found = tiles.flatMap(({ features }) => features.flatMap(({ properties }) => Object.keys(properties)))
    expect(layer?.id).toBe('issues')
    expect(found.toSorted()).toEqual(Object.keys(layer?.fields ?? {}).toSorted())
  })

  it.each([
    ['everywhere', '', [-180, -85.0511, 180, 85.0511]],
    ['a box that crosses the antimeridian', '?min_lat=0&max_lat=1&min_lng=179&max_lng=-179', [-180, 0, 180, 1]],
    ['a box', '?min_lat=0&max_lat=1&min_lng=3&max_lng=4', [3, 0, 4, 1]],
    ['a box that ends at the antimeridian', '?min_lat=0&max_lat=1&min_lng=170&max_lng=180', [170, 0, 180, 1]],
    ['a box that begins at the antimeridian', '?min_lat=0&max_lat=1&min_lng=-180&max_lng=-170', [-180, 0, -170, 1]],
    ['a box beyond the map', '?min_lat=80&max_lat=90&min_lng=3&max_lng=4', [3, 80, 4, 85.0511]],
    ['a circle', '?lat=0&lng=3&radius=11119.5', [2.9, -0.1, 3.1, 0.1]],
    ['a polygon', '?area={"type":"Polygon","coordinates":[[[3,0],[4,0],[4,1],[3,0]]]}', [3, 0, 4, 1]],
  ])('has bounds for %s', async (_, query, bounds) => {
    const { body } = await app.as.anonymous.send('GET', `/tiles/issues.json${encodeURI(query)}`)

    expect((body as TileJson).bounds.map((degrees, n) => degrees - (bounds[n] ?? NaN))).toEqual(
      bounds.map(() => expect.closeTo(0, 2) as number),
    )
  })
})

const documents = ['/tiles/issues.json', '/tiles/issues/style.json']

describe('URLs in a style or TileJSON', () => {
  const app = useApp()

  it.each(documents)('have no parameters that are unknown or overridden: %s', async (path) => {
    await app.create.place({ url_name: 'green', around: GREEN, size: 0.2 })
    const query = 'colour=red&status[]=open&min_lat=secret&place_url=green&status=closed'

    const { status, text } = await app.as.anonymous.send('GET', `${path}?${query}`)

    expect(status).toBe(200)
    expect(text).not.toMatch(/secret|colour/)
    expect(text).toContain('?place_url=green&status=closed&status%5B%5D=open')
  })

  it.each(
    documents.flatMap((path) => [
      [path, 'watcher_token=secret'],
      [path, 'place_url=green&watcher_token=secret'],
      [path, 'lat=1&lng=1&zoom=3&watcher_token=secret'],
      [path, 'min_lat=1&min_lng=1&max_lat=2&max_lng=2&watcher_token=secret'],
    ]),
  )('are refused with a watcher_token: %s?%s', async (path, query) => {
    await app.create.place({ url_name: 'green', around: GREEN, size: 0.2 })

    const { status, body } = await app.as.anonymous.send('GET', `${path}?${query}`)

    expect(status).toBe(422)
    expect(body).toEqual({
      watcher_token: 'is secret and cannot be part of a style or TileJSON, which are shared: use another area',
    })
  })

  it.each(documents)('are refused if they would be too long: %s', async (path) => {
    const ring = Array.from({ length: 300 }, (_, n) =>
      [Math.cos(n / 48) * 3, Math.sin(n / 48) * 3].map((one) => Number(one.toFixed(6))),
    )
    const area = JSON.stringify({ type: 'Polygon', coordinates: [[...ring, ring[0]]] })

    const tile = await app.fastify.inject({ url: `/tiles/issues/0/0/0.mvt?area=${encodeURIComponent(area)}` })
    const { status, body } = await app.as.anonymous.send('GET', `${path}?area=${area}`)

    expect(tile.statusCode).toBe(414)
    expect(status).toBe(422)
    expect(body).toEqual({ base: expect.stringMatching(/too long/) as string })
  })
})

describe('GET /tiles/issues/style.json', () => {
  const app = useApp()
  const getStyle = async () => (await app.as.anonymous.send('GET', '/tiles/issues/style.json')).body as Style

  it('is a valid style of version 8 without fonts, icons or other servers', async () => {
    const { status, headers, body } = await app.as.anonymous.send('GET', '/tiles/issues/style.json?status=open')

    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(body).toMatchObject({
      version: 8,
      sources: { issues: { type: 'vector', url: `${PUBLIC_URL}/tiles/issues.json?status=open` } },
    })
    expect(JSON.stringify(body)).not.toMatch(/glyphs|sprite|text-field|icon-image/)
    expect(validateStyleMin(body as StyleSpecification)).toEqual([])
  })

  it('has a layer for each status and only expressions that QGIS converts', async () => {
    const { layers } = await getStyle()

    const operators = [...JSON.stringify(layers).matchAll(/\["([^"]+)",/g)].map(([, operator]) => operator)
    const values = layers.flatMap(({ paint }) =>
      ['circle-color', 'circle-stroke-color', 'circle-stroke-width'].map((name) => paint[name]),
    )
    expect(layers.flatMap(({ id, filter }) => (id.startsWith('issues-') ? [filter] : []))).toEqual(
      statuses.map((status) => ['==', ['get', 'status'], status]),
    )
    expect(new Set(operators)).toEqual(new Set(['all', 'has', '==', '>=', '<', 'get', 'interpolate']))
    expect(values.filter((value) => typeof value === 'object')).toEqual([])
  })

  it('draws each cluster and each issue in one layer', async () => {
    const { layers } = await getStyle()
    const drawingLayers = (properties: object) =>
      layers
        .filter(({ filter }) => filter && featureFilter(filter as never, 'filter').filter({ zoom: 5 }, { type: 1, properties }))
        .map(({ id }) => id)

    expect(drawingLayers({ cluster: true, point_count: 9, open: 4, closed: 4 })).toEqual(['clusters-open-1'])
    expect(drawingLayers({ cluster: true, point_count: 10, open: 4, closed: 5 })).toEqual(['clusters-closed-10'])
    expect(drawingLayers({ cluster: true, point_count: 2_000_000, open: 1, closed: 1 })).toEqual(['clusters-open-10000'])
    expect(statuses.map((status) => drawingLayers({ status }))).toEqual(
      statuses.map((status) => [`issues-${status.toLowerCase()}`]),
    )
  })
})
