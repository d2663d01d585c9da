import { describe, expect, it } from 'vitest'

import { GREEN } from '../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { fetchTile, positionAt } from './tile-client.ts'

const TILESET = '/ogc/collections/issues/tiles/WebMercatorQuad'

interface Link {
  readonly href: string
  readonly rel: string
}

describe('OGC API Tiles', () => {
  const app = useApp()
  const ask = (url: string) => app.as.anonymous.send('GET', url)

  it('links from the tile sets to the tile set, its matrix set and its tiles', async () => {
    const { body } = await ask('/ogc/tiles')
    const [tileSet] = (body as { tilesets: { tileMatrixSetId: string; tileMatrixSetLimits: object[]; links: Link[] }[] }).tilesets

    const hrefs = (tileSet?.links ?? []).map(({ href }) => href.replace(PUBLIC_URL, ''))
    const responses = await Promise.all([...hrefs.slice(0, 2), '/ogc/collections/issues/tiles', '/ogc/tileMatrixSets'].map(ask))

    expect(hrefs[2]).toBe(`${TILESET}/{tileMatrix}/{tileRow}/{tileCol}?f=mvt`)
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(responses[1]?.body).toMatchObject({ id: 'WebMercatorQuad' })
    expect(tileSet?.tileMatrixSetId).toBe('WebMercatorQuad')
    expect(tileSet?.tileMatrixSetLimits[2]).toEqual({ tileMatrix: '2', minTileRow: 0, maxTileRow: 3, minTileCol: 0, maxTileCol: 3 })
  })

  it('names the format in links of pages to its documents', async () => {
    const pages = await Promise.all(['/ogc', '/ogc/collections/issues'].map((path) => ask(`${path}?f=html`)))

    const links = pages.flatMap(({ text }) => [...text.matchAll(/href="([^"]*\/(?:tiles|tileMatrixSets)\b[^"]*)"/g)])
    const hrefs = links.map(([, href = '']) => href)

    expect(hrefs).toEqual(['/ogc/tiles?f=json', '/ogc/tileMatrixSets?f=json', '/ogc/collections/issues/tiles?f=json'])
  })

  it('names the service and the licence', async () => {
    const { body, headers } = await ask(TILESET)

    const { attribution, links } = body as { attribution: string; links: Link[] }
    expect(attribution).toBe(`Fixpoint, ${PUBLIC_URL}/; CC BY-NC-SA 3.0 US, https://creativecommons.org/licenses/by-nc-sa/3.0/us/`)
    expect(links.map(({ rel }) => rel)).toEqual(expect.arrayContaining(['self', 'alternate', 'license']))
    expect(headers['link']).toBe('<https://creativecommons.org/licenses/by-nc-sa/3.0/us/>; rel="license"')
  })

  it('gives the properties of the layer types of JSON Schema', async () => {
    const { body } = await ask(TILESET)

    const [layer] = (body as { layers: { propertiesSchema: { properties: Record<string, { type: string }> } }[] }).layers
    const types = Object.entries(layer?.propertiesSchema.properties ?? {}).map(([name, { type }]) => [name, type])
    expect(Object.fromEntries(types)).toMatchObject({ id: 'number', status: 'string', cluster: 'boolean' })
  })

  it('serves the same tile as /tiles, with the row before the column', async () => {
    await app.create.issue({ at: GREEN })
    const { x, y } = positionAt(GREEN, 12)

    const ogc = await app.fastify.inject({ url: `${TILESET}/12/${y}/${x}?status=open&f=mvt` })
    const own = await fetchTile(app, `12/${x}/${y}`, '?status=open')

    expect(own.body.length).toBeGreaterThan(0)
    expect([ogc.statusCode, ogc.headers['content-type']]).toEqual([200, 'application/vnd.mapbox-vector-tile'])
    expect(ogc.rawPayload.equals(own.body)).toBe(true)
  })

  it.each([
    ['an unknown parameter', `${TILESET}/0/0/0?colour=red`, /^colour/],
    ['an unknown parameter of a document', '/ogc/tiles?colour=red', /^colour/],
    ['a repeated parameter', `${TILESET}/0/0/0?search=a&search=b`, /^search/],
    ['another format of a document', '/ogc/tiles?f=xml', /^f/],
    ['another format of a tile', `${TILESET}/0/0/0?f=png`, /^f/],
    ['a column outside the matrix', `${TILESET}/1/0/2`, /^tileCol/],
    ['every parameter outside the matrix', `${TILESET}/1/2/2`, /tileRow.*tileCol|tileCol.*tileRow/],
    ['an unknown status', `${TILESET}/0/0/0?status=fixed`, /^status/],
  ])('returns 400 for %s', async (_, url, message) => {
    const { status, body } = await ask(url)

    expect(status).toBe(400)
    expect((body as { message: string }).message).toMatch(message)
  })
})
