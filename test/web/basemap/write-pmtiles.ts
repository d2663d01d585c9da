import { writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { zxyToTileId } from 'pmtiles'

export interface WrittenTile {
  readonly z: number
  readonly x: number
  readonly y: number
  readonly content: Buffer
}

const HEADER_BYTES = 127
const MVT = 1
const PNG = 2
const [NONE, GZIP] = [1, 2]

/** Writes a PMTiles file (version 3) with one directory and compressed tiles. */
export function writePmtiles(path: string, tiles: readonly WrittenTile[], metadata: object, { isRaster = false } = {}): void {
  const entries = tiles
    .map(({ z, x, y, content }) => ({ id: zxyToTileId(z, x, y), data: gzipSync(content) }))
    .sort((a, b) => a.id - b.id)
  const ids = entries.map(({ id }, index) => id - (entries[index - 1]?.id ?? 0))
  // An offset of 0 means: directly after the tile before.
  const offsets = entries.map((_entry, index) => (index === 0 ? 1 : 0))
  const directory = toVarints([
    entries.length,
    ...ids,
    ...entries.map(() => 1),
    ...entries.map(({ data }) => data.length),
    ...offsets,
  ])
  const json = Buffer.from(JSON.stringify(metadata))
  const data = Buffer.concat(entries.map((entry) => entry.data))
  const header = Buffer.alloc(HEADER_BYTES)
  header.write('PMTiles')
  header.writeUInt8(3, 7)
  const parts = [directory, json, Buffer.alloc(0), data]
  let offset = HEADER_BYTES
  for (const [index, { length }] of parts.entries()) {
    header.writeBigUInt64LE(BigInt(offset), 8 + index * 16)
    header.writeBigUInt64LE(BigInt(length), 16 + index * 16)
    offset += length
  }
  const zooms = tiles.map(({ z }) => z)
  for (const [index, value] of [1, NONE, GZIP, isRaster ? PNG : MVT, Math.min(...zooms), Math.max(...zooms)].entries()) {
    header.writeUInt8(value ?? 0, 96 + index)
  }
  for (const [index, degrees] of [-106, 39, -104, 40].entries()) header.writeInt32LE(degrees * 1e7, 102 + index * 4)
  writeFileSync(path, Buffer.concat([header, ...parts]))
}

function toVarints(numbers: readonly number[]): Buffer {
  const bytes = numbers.flatMap((number) => {
    const parts: number[] = []
    let rest = number
    for (; rest > 127; rest = Math.floor(rest / 128)) parts.push((rest % 128) + 128)
    return [...parts, rest]
  })
  return Buffer.from(bytes)
}
