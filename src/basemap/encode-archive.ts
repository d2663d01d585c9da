import { gzipSync } from 'node:zlib'
import { PbfWriter } from 'pbf'
import { Compression, type Entry, type TileType } from 'pmtiles'

/* The beginning of a PMTiles file: https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md */

interface Archive {
  /** The entries have the order of tile ids. Offsets are in the tile data, which has `dataBytes` bytes. */
  readonly entries: readonly Entry[]
  readonly dataBytes: number
  readonly metadata: object
  readonly tileType: TileType
  readonly tileCompression: Compression
  readonly minZoom: number
  readonly maxZoom: number
  /** West, south, east, north in degrees. */
  readonly bounds: readonly [number, number, number, number]
}

const HEADER_BYTES = 127
/** Readers load the header and the root directory as the first 16 kB. */
const ROOT_BYTES_MAX = 16_384 - HEADER_BYTES
const LEAF_ENTRIES = 4_096

/** Returns the header, the directories and the metadata, which the tile data follows. */
export function encodeArchiveStart(archive: Archive): Buffer {
  const { entries, dataBytes, metadata, tileType, tileCompression, minZoom, maxZoom, bounds } = archive
  const { root, leaves } = encodeDirectories(entries)
  const json = gzipSync(JSON.stringify(metadata))
  const header = Buffer.alloc(HEADER_BYTES)
  header.write('PMTiles')
  header.writeUInt8(3, 7)
  let offset = HEADER_BYTES
  for (const [index, length] of [root.length, json.length, leaves.length, dataBytes].entries()) {
    header.writeBigUInt64LE(BigInt(offset), 8 + index * 16)
    header.writeBigUInt64LE(BigInt(length), 16 + index * 16)
    offset += length
  }
  const addressed = entries.reduce((sum, { runLength }) => sum + runLength, 0)
  const contents = new Set(entries.map((entry) => entry.offset)).size
  for (const [index, count] of [addressed, entries.length, contents].entries())
    header.writeBigUInt64LE(BigInt(count), 72 + index * 8)
  const isClustered = entries.every((entry, index) => entry.offset >= (entries[index - 1]?.offset ?? 0))
  for (const [index, value] of [Number(isClustered), Compression.Gzip, tileCompression, tileType, minZoom, maxZoom].entries()) {
    header.writeUInt8(value, 96 + index)
  }
  const [west, south, east, north] = bounds
  for (const [index, degrees] of bounds.entries()) header.writeInt32LE(Math.round(degrees * 1e7), 102 + index * 4)
  header.writeUInt8(maxZoom, 118)
  header.writeInt32LE(Math.round(((west + east) / 2) * 1e7), 119)
  header.writeInt32LE(Math.round(((south + north) / 2) * 1e7), 123)
  return Buffer.concat([header, root, json, leaves])
}

/** Small archives have all entries in the root directory, others in leaf directories. */
function encodeDirectories(entries: readonly Entry[]): { readonly root: Buffer; readonly leaves: Buffer } {
  const whole = encodeDirectory(entries)
  if (whole.length <= ROOT_BYTES_MAX) return { root: whole, leaves: Buffer.alloc(0) }
  const leaves: Buffer[] = []
  const pointers: Entry[] = []
  let offset = 0
  for (let from = 0; from < entries.length; from += LEAF_ENTRIES) {
    const leaf = encodeDirectory(entries.slice(from, from + LEAF_ENTRIES))
    leaves.push(leaf)
    pointers.push({ tileId: entries[from]?.tileId ?? 0, offset, length: leaf.length, runLength: 0 })
    offset += leaf.length
  }
  return { root: encodeDirectory(pointers), leaves: Buffer.concat(leaves) }
}

function encodeDirectory(entries: readonly Entry[]): Buffer {
  const pbf = new PbfWriter()
  const before = (index: number) => entries[index - 1]
  pbf.writeVarint(entries.length)
  for (const [index, { tileId }] of entries.entries()) pbf.writeVarint(tileId - (before(index)?.tileId ?? 0))
  for (const { runLength } of entries) pbf.writeVarint(runLength)
  for (const { length } of entries) pbf.writeVarint(length)
  for (const [index, { offset }] of entries.entries()) {
    const last = before(index)
    // An offset of 0 means: directly after the entry before.
    pbf.writeVarint(last && last.offset + last.length === offset ? 0 : offset + 1)
  }
  return gzipSync(pbf.finish())
}
