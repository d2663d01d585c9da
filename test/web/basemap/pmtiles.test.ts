import { validateStyleMin } from '@maplibre/maplibre-gl-style-spec'
import { copyFileSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

import { openPmtiles } from '../../../src/basemap/pmtiles-file.ts'
import { streetIndexPath, writeStreetIndex } from '../../../src/basemap/extract-archive.ts'
import { GREEN } from '../../helpers/factories.ts'
import { useApp } from '../../helpers/use-app.ts'
import { writePmtiles } from './write-pmtiles.ts'

const folder = mkdtempSync(join(tmpdir(), 'basemap-'))
const city = join(folder, 'city.pmtiles')
const tile = Buffer.from('the bytes of a vector tile')
const metadata = { vector_layers: ['earth', 'roads', 'water'].map((id) => ({ id })), attribution: '© The City' }
writePmtiles(
  city,
  [
    { z: 0, x: 0, y: 0, content: Buffer.from('world') },
    { z: 12, x: 852, y: 1554, content: tile },
  ],
  metadata,
)

interface VectorSource {
  readonly tiles: readonly [string]
}

describe('BASEMAP_PMTILES', () => {
  const app = useApp({ env: { BASEMAP_PMTILES: city } })
  const get = (url: string, headers = {}) => app.fastify.inject({ method: 'GET', url, headers })
  const style = async (query = '') =>
    (await get(`/map/style.json${query}`)).json<{
      readonly sources: Readonly<Record<string, VectorSource>>
      readonly layers: readonly { readonly id: string; readonly type: string }[]
    }>()
  const tilePath = async (z: number, x: number, y: number) => {
    const { sources } = await style()
    const template = sources['basemap']?.tiles[0] ?? ''
    return template.replace('{z}', String(z)).replace('{x}', String(x)).replace('{y}', String(y))
  }

  it('serves the tiles of the file as they are stored', async () => {
    const path = await tilePath(12, 852, 1554)
    const compressed = await get(path, { 'accept-encoding': 'gzip' })
    const plain = await get(path, { 'accept-encoding': 'identity' })

    expect(path).toMatch(/^\/basemap\/12\/852\/1554\.mvt\?v=[\w-]+$/)
    expect([compressed.statusCode, compressed.headers['content-type'], compressed.headers['content-encoding']]).toEqual([
      200,
      'application/vnd.mapbox-vector-tile',
      'gzip',
    ])
    expect(gunzipSync(compressed.rawPayload)).toEqual(tile)
    expect([plain.statusCode, plain.headers['content-encoding'], plain.rawPayload]).toEqual([200, undefined, tile])
    expect(plain.headers['cache-control']).toBe('public, max-age=604800')
  })

  it.each([
    ['/basemap/12/1/1.mvt', 204],
    ['/basemap/20/1/1.mvt', 204],
    ['/basemap/1/2/0.mvt', 404],
    ['/basemap/27/0/0.mvt', 404],
    ['/basemap/-1/0/0.mvt', 404],
    ['/basemap/1/0.5/0.mvt', 404],
    ['/basemap/1/0/x.mvt', 404],
  ])('answers %s with %i', async (path, status) => {
    expect((await get(path)).statusCode).toBe(status)
  })

  it.each(['?scheme=light&language=en', '?scheme=dark&language=es', '?language=fr'])(
    'has a valid style %s without fonts and pictures of another server',
    async (query) => {
      const shown = await style(query)

      expect(validateStyleMin(shown as never)).toEqual([])
      expect(Object.keys(shown)).toEqual(['version', 'name', 'sources', 'layers'])
      expect(JSON.stringify(shown)).not.toMatch(/https?:\/\/(?!www\.openstreetmap)|icon-image/)
      expect(shown.sources['basemap']).toMatchObject({
        attribution: '© The City',
        bounds: [-106, 39, -104, 40],
        minzoom: 0,
        maxzoom: 12,
      })
      expect(shown.layers.slice(0, 3).map(({ id }) => id)).toEqual(['own-water', 'own-land', 'own-borders'])
    },
  )

  it('has the own style, too, for browsers in which the other one fails', async () => {
    expect(Object.keys((await style('?own=true')).sources)).toEqual(['land', 'borders', 'names', 'places'])
  })

  it('needs no other server', async () => {
    expect((await get('/')).headers['content-security-policy']).toContain("connect-src 'self';")
  })
})

describe('openPmtiles', () => {
  const written = (name: string, write: (path: string) => void) => {
    const path = join(folder, name)
    write(path)
    return path
  }

  it.each([
    ['a missing file', join(folder, 'missing'), 'must be a file that the service can read'],
    ['a folder', folder, 'must be a PMTiles file of version 3'],
    ['another file', written('text', (path) => writeFileSync(path, 'x'.repeat(20_000))), 'must be a PMTiles file of version 3'],
    ['an empty file', written('empty', (path) => writeFileSync(path, '')), 'must be a PMTiles file of version 3'],
    [
      'pictures',
      written('raster', (path) => writePmtiles(path, [{ z: 0, x: 0, y: 0, content: tile }], {}, { isRaster: true })),
      'must be a file of vector tiles made by Protomaps',
    ],
    [
      'other layers',
      written('other', (path) => writePmtiles(path, [{ z: 0, x: 0, y: 0, content: tile }], { vector_layers: [{ id: 'streets' }] })),
      'must be a file of vector tiles made by Protomaps',
    ],
  ])('refuses %s at the start', async (_what, path, message) => {
    await expect(openPmtiles(path, 'BASEMAP_PMTILES')).rejects.toThrow(`BASEMAP_PMTILES ${message}`)
  })
})

describe('the search for a place with the streets of a PMTiles file', async () => {
  const path = join(folder, 'with-streets.pmtiles')
  copyFileSync(city, path)
  const streetAt = (name: string, lng: number) => ({ name, point: { lng, lat: GREEN.lat } })
  const streets = [
    streetAt('Larimer Street', GREEN.lng),
    streetAt('Larimer Street', GREEN.lng + 20),
    streetAt('Oak Lane', GREEN.lng),
  ]
  await writeStreetIndex(streetIndexPath(path), streets)
  const app = useApp({ env: { BASEMAP_PMTILES: path } })
  const round = (degrees: number) => Math.round(degrees * 1e5) / 1e5
  const find = async (words: string) => {
    const { body } = await app.fastify.inject({ url: `/?find=${encodeURIComponent(words)}` })
    return [...(/<ul class="found">(.*?)<\/ul>/s.exec(body)?.[1] ?? '').matchAll(/href="([^"]*)">([^<]*)/g)].map(
      ([, href, name]) => [href, name],
    )
  }

  it('finds streets with their city, also with a house number, in any form of the name', async () => {
    await app.create.place({ name: 'Green City' })

    expect(await find('12 larimer st, green city')).toEqual([
      [`/?lat=${GREEN.lat}&amp;lng=${GREEN.lng}&amp;zoom=17`, 'Larimer Street, Green City'],
      [`/?lat=${GREEN.lat}&amp;lng=${round(GREEN.lng + 20)}&amp;zoom=17`, 'Larimer Street'],
    ])
    expect(await find('elm street')).toEqual([])
  })
})
