import { describe, expect, it } from 'vitest'

import { GREEN } from '../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { fetchTile, positionAt } from './tile-client.ts'

const TILESET = '/ogc/collections/issues/tiles/WebMercatorQuad'

describe('OGC API Tiles', () => {
  const app = useApp()
  const ask = (url: string) => app.as.anonymous.send('GET', url)

  it('links from the tile sets to the tile set, its matrix set and its tiles', async () => {
    const { body } = await ask('/ogc/tiles')
    const [tileSet] = (body as { tilesets: { links: { href: string; rel: string }[] }[] }).tilesets

    const links = (tileSet?.links ?? []).map(({ href }) => href.replace(PUBLIC_URL, ''))
    const answers = await Promise.all([...links.slice(0, 2), '/ogc/collections/issues/tiles', '/ogc/tileMatrixSets'].map(ask))

    expect(links[2]).toBe(`${TILESET}/{tileMatrix}/{tileRow}/{tileCol}`)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(answers[1]?.body).toMatchObject({ id: 'WebMercatorQuad' })
  })

  it('serves the same tile as /tiles, with the row before the column', async () => {
    await app.create.issue({ at: GREEN })
    const { x, y } = positionAt(GREEN, 12)

    const ogc = await app.fastify.inject({ url: `${TILESET}/12/${y}/${x}?status=open` })
    const own = await fetchTile(app, `12/${x}/${y}`, '?status=open')

    expect(own.body.length).toBeGreaterThan(0)
    expect([ogc.statusCode, ogc.headers['content-type']]).toEqual([200, 'application/vnd.mapbox-vector-tile'])
    expect(ogc.rawPayload.equals(own.body)).toBe(true)
  })

  it.each([
    ['an unknown parameter', `${TILESET}/0/0/0?colour=red`, /^colour/],
    ['an unknown parameter of a document', '/ogc/tiles?colour=red', /^colour/],
    ['another format', '/ogc/tiles?f=xml', /^f/],
    ['a column outside the matrix', `${TILESET}/1/0/2`, /^tileCol/],
    ['an unknown status', `${TILESET}/0/0/0?status=fixed`, /^status/],
  ])('returns 400 for %s', async (_, url, message) => {
    const { status, body } = await ask(url)

    expect(status).toBe(400)
    expect((body as { message: string }).message).toMatch(message)
  })
})
