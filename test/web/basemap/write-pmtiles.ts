import { fromGeojsonVt } from '@maplibre/vt-pbf'
import { writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { Compression, TileType, zxyToTileId } from 'pmtiles'

import { encodeArchiveStart } from '../../../src/basemap/encode-archive.ts'

/** Returns a tile with roads, each from its first to its last position in 4096ths of the tile. */
export function drawRoads(
  roads: readonly { readonly tags: object; readonly line: readonly (readonly [number, number])[] }[],
): Buffer {
  const features = roads.map(({ tags, line }) => ({
    type: 2 as const,
    geometry: [line.map(([x, y]): [number, number] => [x, y])],
    tags: { ...tags },
  }))
  return Buffer.from(fromGeojsonVt({ roads: { features } }, { version: 2, extent: 4_096 }))
}

export interface WrittenTile {
  readonly z: number
  readonly x: number
  readonly y: number
  readonly content: Buffer
}

/** Writes a PMTiles file (version 3) with compressed tiles. */
export function writePmtiles(path: string, tiles: readonly WrittenTile[], metadata: object, { isRaster = false } = {}): void {
  const contents = tiles
    .map(({ z, x, y, content }) => ({ tileId: zxyToTileId(z, x, y), data: gzipSync(content) }))
    .sort((a, b) => a.tileId - b.tileId)
  let dataBytes = 0
  const entries = contents.map(({ tileId, data }) => {
    const entry = { tileId, offset: dataBytes, length: data.length, runLength: 1 }
    dataBytes += data.length
    return entry
  })
  const zooms = tiles.map(({ z }) => z)
  const start = encodeArchiveStart({
    ...{ entries, dataBytes, metadata, tileCompression: Compression.Gzip },
    tileType: isRaster ? TileType.Png : TileType.Mvt,
    minZoom: Math.min(...zooms),
    maxZoom: Math.max(...zooms),
    bounds: [-106, 39, -104, 40],
  })
  writeFileSync(path, Buffer.concat([start, ...contents.map(({ data }) => data)]))
}
