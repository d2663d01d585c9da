import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { Compression, TileType } from 'pmtiles'
import { encodeArchiveStart } from '../../src/basemap/encode-archive.ts'
import { extractArchive } from '../../src/basemap/extract-archive.ts'
import { keepFile } from '../../src/basemap/keep-base-map.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'

const TILE = gzipSync('tile')
const metadata = { vector_layers: ['earth', 'roads', 'water'].map((id) => ({ id })) }
const header = { dataBytes: TILE.length, metadata, tileType: TileType.Mvt, tileCompression: Compression.Gzip } as const
const tile = { tileId: 0, offset: 0, length: TILE.length, runLength: 1 }
const archiveWith = (entry: Partial<typeof tile>, { maxZoom = 0, east = 180 } = {}) => {
  const start = encodeArchiveStart({
    ...header,
    entries: [{ ...tile, ...entry }],
    minZoom: 0,
    maxZoom,
    bounds: [-180, -85, east, 85],
  })
  return Buffer.concat([start, TILE])
}
const whole = archiveWith({})
const writeAt = (offset: number, value: number | bigint) => {
  const bytes = Buffer.from(whole)
  if (typeof value === 'bigint') bytes.writeBigUInt64LE(value, offset)
  else bytes.fill(value, offset, offset + 16)
  return bytes
}

/** The root directory and the leaf directory are the same bytes, whose entry points to the leaf directory. */
function archiveWithLoop(): Buffer {
  const bytes = archiveWith({ runLength: 0 })
  const [offset, length] = [bytes.readBigUInt64LE(8), bytes.readBigUInt64LE(16)]
  const looping = archiveWith({ runLength: 0, length: Number(length) })
  looping.writeBigUInt64LE(offset, 40)
  looping.writeBigUInt64LE(looping.readBigUInt64LE(16), 48)
  return looping
}

const damaged: readonly (readonly [string, Buffer, RegExp])[] = [
  ['no archive', Buffer.from('<!doctype html><title>Sign in</title>'), /must be a PMTiles file of version 3\.$/],
  ['an empty file', Buffer.alloc(0), /must be a PMTiles file of version 3\.$/],
  ['a directory that is no gzip', writeAt(127, 0), /must be a PMTiles file of version 3\.$/],
  ['zoom levels to 99', archiveWith({}, { maxZoom: 99 }), /is damaged: it has the zoom levels 0 to 99, of which 26 is the highest/],
  [
    'bounds over 180 degrees',
    archiveWith({}, { east: 200 }),
    /is damaged: its bounds -180,-85,200,85 are not west,south,east,north/,
  ],
  [
    'metadata of an absurd length',
    writeAt(32, 2n ** 60n),
    /is damaged: its root directory or its metadata has \d+ bytes|must be a complete file/,
  ],
  ['metadata that is no JSON', writeAt(Number(whole.readBigUInt64LE(24)), 0), /is damaged: its metadata is not a JSON object/],
  [
    'a tile of an absurd length',
    archiveWith({ length: 2 ** 50 }),
    /is damaged: a tile has 1125899906842624 bytes at 0, outside of/,
  ],
  ['a tile outside of the data', archiveWith({ offset: 5 }), /is damaged: a tile has \d+ bytes at 5, outside of its section/],
  ['leaf directories in a loop', archiveWithLoop(), /is damaged: its leaf directories have too many levels or a loop/],
]

describe('npm run basemap', () => {
  it.each(damaged)('refuses %s', async (_what, bytes, message) => {
    const folder = createTemporaryFolder()
    const path = join(folder, 'file.pmtiles')
    writeFileSync(path, bytes)

    await expect(keepFile(folder, path, () => {})).rejects.toMatchObject({
      name: 'UserFacingError',
      message: expect.stringMatching(message),
    })
  })

  it('leaves out the streets of a tile that is no gzip, and keeps the map', async () => {
    const folder = createTemporaryFolder()
    const path = join(folder, 'file.pmtiles')
    writeFileSync(path, Buffer.concat([whole.subarray(0, -TILE.length), Buffer.alloc(TILE.length)]))
    const lines: string[] = []

    await keepFile(folder, path, (line) => void lines.push(line))

    expect(lines).toEqual(['The search of addresses has 0 streets.'])
  })
})

describe('npm run basemap with an address', () => {
  let server: Server
  let bytes: Buffer = whole
  let hasRanges = true
  beforeAll(async () => {
    server = createServer(({ headers }, response) => {
      const [, from = '0', to = ''] = /bytes=(\d+)-(\d+)/.exec(headers.range ?? '') ?? []
      const part = hasRanges ? bytes.subarray(Number(from), Number(to) + 1) : bytes
      if (hasRanges && Number(from) >= bytes.length) return response.writeHead(416).end()
      return response.writeHead(hasRanges ? 206 : 200, { 'content-length': part.length }).end(part)
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => void server.close())
  const extract = () =>
    extractArchive({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/file.pmtiles`,
      bounds: { west: -10, south: -10, east: 10, north: 10 },
      path: join(createTemporaryFolder(), 'extract.pmtiles'),
      onProgress: () => {},
    })

  it.each(damaged.filter(([what]) => what !== 'an empty file'))('refuses %s', async (_what, damagedBytes, message) => {
    hasRanges = true
    bytes = damagedBytes

    await expect(extract()).rejects.toMatchObject({ name: 'UserFacingError', message: expect.stringMatching(message) })
  })

  it.each([
    ['a large file', Buffer.concat([whole, Buffer.alloc(20_000)]), /could not be read \(.*HTTP Byte Serving/],
    ['a small file', Buffer.concat([whole, Buffer.alloc(10)]), /could not be read \(.*(HTTP Byte Serving|the server sent)/],
    ['a page', Buffer.from('<!doctype html><title>Sign in</title>'), /must be a PMTiles file of version 3\.$/],
  ])('refuses a server without range requests: %s', async (_what, sent, message) => {
    hasRanges = false
    bytes = sent

    await expect(extract()).rejects.toMatchObject({ name: 'UserFacingError', message: expect.stringMatching(message) })
  })

  it('refuses a file that is cut off', async () => {
    hasRanges = true
    bytes = whole.subarray(0, whole.length - 1)

    await expect(extract()).rejects.toMatchObject({
      name: 'UserFacingError',
      message: expect.stringMatching(/could not be read \(the server sent \d+ of \d+ bytes\)\. Nothing was changed/),
    })
  })
})
