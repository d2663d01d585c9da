import { describe, expect, it } from 'vitest'

import { GREEN } from '../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { fetchTile, tileAt } from './tile-client.ts'

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
      attribution: expect.stringContaining('CC BY-NC-SA 3.0 US') as string,
    })
    const { bounds } = body as TileJson
    expect(bounds[0]).toBeLessThan(GREEN.lng)
    expect(bounds[2]).toBeGreaterThan(GREEN.lng)
    expect(Number(bounds[2]) - Number(bounds[0])).toBeLessThan(1)
  })

  it('names every field of the tiles', async () => {
    const at = { at: GREEN, request_type: await app.create.requestType() }
    await app.create.issue(at)

    const { body } = await app.as.anonymous.send('GET', '/tiles/issues.json')
    const tiles = [await fetchTile(app, tileAt(GREEN, 16)), await fetchTile(app, tileAt(GREEN, 5))]

    const [layer] = (body as TileJson).vector_layers
    const found = tiles.flatMap(({ features }) => features.flatMap(({ properties }) => Object.keys(properties)))
    expect(layer?.id).toBe('issues')
    expect(found.toSorted()).toEqual(Object.keys(layer?.fields ?? {}).toSorted())
  })

  it.each([
    ['everywhere', '', [-180, 180]],
    ['a box that crosses the antimeridian', '?min_lat=0&max_lat=1&min_lng=179&max_lng=-179', [-180, 180]],
    ['a box', '?min_lat=0&max_lat=1&min_lng=3&max_lng=4', [3, 4]],
    ['a polygon', '?area={"type":"Polygon","coordinates":[[[3,0],[4,0],[4,1],[3,0]]]}', [3, 4]],
  ])('has bounds for %s', async (_, query, [west, east]) => {
    const { body } = await app.as.anonymous.send('GET', `/tiles/issues.json${encodeURI(query)}`)

    const { bounds } = body as TileJson
    expect([bounds[0], bounds[2]]).toEqual([west, east])
  })
})

describe('GET /tiles/issues/style.json', () => {
  const app = useApp()

  it('is a style of version 8 without fonts, icons or other servers', async () => {
    const { status, headers, body } = await app.as.anonymous.send('GET', '/tiles/issues/style.json?status=open')

    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(body).toMatchObject({
      version: 8,
      sources: { issues: { type: 'vector', url: `${PUBLIC_URL}/tiles/issues.json?status=open` } },
    })
    expect(JSON.stringify(body)).not.toMatch(/glyphs|sprite|text-field|icon-image/)
  })

  it.each(['/tiles/issues.json', '/tiles/issues/style.json'])('refuses a watcher_token, as %s is shared', async (url) => {
    const { status, body } = await app.as.anonymous.send('GET', `${url}?watcher_token=secret`)

    expect(status).toBe(422)
    expect(body).toEqual({
      watcher_token: 'is secret and cannot be part of a style or TileJSON, which are shared: use another area',
    })
  })
})
