import { Compression, findTile, PMTiles, ResolvedValueCache, TileType, tileIdToZxy } from 'pmtiles'
import { expect, it } from 'vitest'

import { encodeArchiveStart } from '../../src/basemap/encode-archive.ts'

it('writes directories of any size that the reader of PMTiles understands', async () => {
  const lengths = Array.from({ length: 30_000 }, (_, index) => 1 + (Math.imul(index, 2_654_435_761) >>> 20))
  let dataBytes = 0
  const entries = lengths.map((length, index) => {
    const entry = { tileId: 1_000 + index * 3, offset: dataBytes, length, runLength: 1 }
    dataBytes += length
    return entry
  })
  const start = encodeArchiveStart({
    ...{ entries, dataBytes, metadata: { name: 'City' }, tileType: TileType.Mvt, tileCompression: Compression.None },
    ...{ minZoom: 5, maxZoom: 9, bounds: [-106.5, 39, -104, 40.25] },
  })
  const asked: number[][] = []
  const source = {
    getKey: () => 'archive',
    getBytes: (offset: number, length: number) => {
      asked.push([offset, length])
      return Promise.resolve({ data: new Uint8Array(start.subarray(offset, offset + length)).buffer })
    },
  }

  const archive = new PMTiles(source, new ResolvedValueCache())
  const header = await archive.getHeader()
  const root = await archive.cache.getDirectory(source, header.rootDirectoryOffset, header.rootDirectoryLength, header)
  await Promise.all([0, 17_000, 29_999].map((index) => archive.getZxy(...tileIdToZxy(entries[index]!.tileId))))

  expect(await archive.getMetadata()).toEqual({ name: 'City' })
  expect(header).toMatchObject({
    minZoom: 5,
    maxZoom: 9,
    minLon: -106.5,
    maxLat: 40.25,
    clustered: true,
    tileDataLength: dataBytes,
  })
  expect(header.rootDirectoryOffset + header.rootDirectoryLength).toBeLessThanOrEqual(16_384)
  expect(findTile(root, 1_000)?.runLength).toBe(0)
  for (const index of [0, 17_000, 29_999]) {
    expect(asked).toContainEqual([start.length + entries[index]!.offset, entries[index]!.length])
  }
})
