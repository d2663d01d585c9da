import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createExternalStyleReader, readExternalStyle } from '../../../src/basemap/external-style.ts'
import { useApp } from '../../helpers/use-app.ts'
import { freePort } from '../../kill/servers.ts'

const port = await freePort()
const server = `http://127.0.0.1:${port}`
const OTHER_TILES = 'https://tiles.example.org'

const style = {
  version: 8,
  glyphs: '../fonts/{fontstack}/{range}.pbf',
  sprite: [{ id: 'default', url: 'https://pictures.example.org/sprite' }],
  sources: {
    streets: { type: 'vector', url: '/streets.json' },
    satellite: { type: 'raster', tiles: ['https://satellite.example.org/{z}/{x}/{y}.png'], tileSize: 256 },
    own: { type: 'geojson', data: { type: 'FeatureCollection', features: [] } },
  },
  layers: [{ id: 'background', type: 'background' }],
}
const answers: Record<string, unknown> = {
  '/styles/city': style,
  '/streets.json': { tilejson: '3.0.0', tiles: [`${OTHER_TILES}/{z}/{x}/{y}.pbf`] },
  '/no-style': { version: 7, sources: {}, layers: [] },
  '/broken-source': { ...style, sources: { streets: { type: 'vector', url: '/missing' } } },
  '/bad-address': { ...style, glyphs: 'https://{s}:x/' },
  '/large': { ...style, metadata: 'x'.repeat(3 * 1024 * 1024) },
}

function answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const body = answers[url]
  response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? null))
}

let opened: Server
beforeAll(async () => {
  opened = createServer(answer)
  await new Promise<void>((resolve) => opened.listen(port, '127.0.0.1', resolve))
})
afterAll(() => opened.close())

describe('BASEMAP_STYLE_URL', () => {
  const app = useApp({ env: { BASEMAP_STYLE_URL: `${server}/styles/city` } })
  const get = (url: string) => app.fastify.inject({ method: 'GET', url })
  const policy = async (url: string) => String((await get(url)).headers['content-security-policy'])
  const origins = `'self' ${server} https://pictures.example.org https://satellite.example.org ${OTHER_TILES}`

  it('is the style of the map, with absolute addresses', async () => {
    const shown = (await get('/map/style.json?scheme=dark')).json<typeof style>()

    expect(shown).toEqual({
      ...style,
      glyphs: `${server}/fonts/{fontstack}/{range}.pbf`,
      sources: { ...style.sources, streets: { type: 'vector', url: `${server}/streets.json` } },
    })
  })

  it('lets pages with a map, and the worker of the map, load from its servers', async () => {
    await app.create.place({ url_name: 'new-haven' })
    const issue = await app.create.issue()
    const script = /src="([^"]+)issue-map\/map-page\.ts"/.exec((await get('/')).body)?.[1] ?? ''

    for (const path of ['/', '/places/new-haven', `/issues/${issue}`]) {
      expect(await policy(path)).toContain(`script-src 'self'; connect-src ${origins}; worker-src 'self'`)
      expect(await policy(path)).toContain(`img-src ${origins} data:`)
    }
    expect(await policy(`${script}maplibre-gl-worker.mjs`)).toContain(`connect-src ${origins}`)
    expect(await policy('/login')).not.toContain(server)
  })

  it('asks again for the worker, whose policy may change', async () => {
    const script = /src="([^"]+)issue-map\/map-page\.ts"/.exec((await get('/')).body)?.[1] ?? ''
    const { headers } = await get(`${script}maplibre-gl-worker.mjs`)
    const again = await app.fastify.inject({
      method: 'GET',
      url: `${script}maplibre-gl-worker.mjs`,
      headers: { 'if-none-match': String(headers.etag) },
    })

    expect(headers['cache-control']).toBe('no-cache')
    expect([again.statusCode, again.headers['content-security-policy']]).toEqual([304, headers['content-security-policy']])
  })
})

describe('a style that cannot be read', () => {
  const app = useApp({ env: { BASEMAP_STYLE_URL: `${server}/missing` } })

  it('is replaced by the own base map, and pages are complete', async () => {
    const shown = await app.fastify.inject('/map/style.json')
    const page = await app.fastify.inject('/')

    expect(Object.keys(shown.json<{ sources: object }>().sources)).toEqual(['land', 'borders', 'names', 'places'])
    expect([page.statusCode, page.headers['content-security-policy']]).toEqual([
      200,
      expect.stringContaining("connect-src 'self';"),
    ])
  })

  it.each([
    ['/missing', 'The server of the style answered with status 404.'],
    ['/no-style', 'The address does not return a MapLibre style of version 8.'],
    ['/broken-source', 'The server of the style answered with status 404.'],
    ['/bad-address', 'The style contains an invalid address.'],
    ['/large', 'The style or its source has more than 2097152 bytes.'],
  ])('is an error for %s', async (path, message) => {
    await expect(readExternalStyle(`${server}${path}`)).rejects.toThrow(message)
  })

  it('is read again after a minute, and stays after it was read once', async () => {
    let now = 0
    const failures: unknown[] = []
    const reader = createExternalStyleReader(
      `${server}/later`,
      { warn: (failure: unknown) => failures.push(failure) } as never,
      () => now,
    )
    expect(await reader.read()).toBeUndefined()

    answers['/later'] = style
    now += 61_000
    await reader.read()
    await expect.poll(async () => (await reader.read())?.origins).toContain(OTHER_TILES)

    delete answers['/later']
    now += 3_601_000
    await reader.read()
    await expect.poll(() => failures.length).toBe(2)
    expect((await reader.read())?.origins).toContain(OTHER_TILES)
  })
})
