import { bbox } from '@turf/bbox'
import type { MultiPolygon, Point } from 'geojson'
import { closeSync, openSync, readSync, unlinkSync, writeFileSync } from 'node:fs'

import type { OpenWriter } from '../../gis/downloads/writer.ts'
import { encodeHeader, featureEncoder, magicBytes, NODE_SIZE } from './flatgeobuf-encoding.ts'

/** West, south, east, north, in degrees. */
export type Bounds = readonly [number, number, number, number]

/** The bounds of no geometry: every extension replaces them. */
export const noBounds: Bounds = [Infinity, Infinity, -Infinity, -Infinity]

/** Returns the smallest box around the coordinates. A geometry that is cut at the antimeridian gets a box around the whole earth. */
export const toBounds = (geometry: Point | MultiPolygon): Bounds => bbox(geometry) as [number, number, number, number]

/** Returns the smallest box around both. */
export function extendBounds(a: Bounds, b: Bounds): Bounds {
  return [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])]
}

const CELLS = 0x1_0000

/** Returns the position of a cell on the Hilbert curve through a grid of 2¹⁶ × 2¹⁶ cells. Near positions are near on the map. */
function hilbertPosition(column: number, row: number): number {
  let x = column
  let y = row
  let position = 0
  for (let side = CELLS / 2; side > 0; side >>= 1) {
    const right = (x & side) > 0 ? 1 : 0
    const upper = (y & side) > 0 ? 1 : 0
    position = position * 4 + ((3 * right) ^ upper)
    if (upper === 1) continue
    const turned = right === 1 ? CELLS - 1 - y : y
    y = right === 1 ? CELLS - 1 - x : x
    x = turned
  }
  return position
}

/** Returns the column or row of the grid that holds a value between two bounds. */
function gridCell(value: number, from: number, to: number): number {
  return to > from ? Math.floor(((CELLS - 1) * (value - from)) / (to - from)) : 0
}

/**
 * Returns the indexes of the items sorted by their position on the curve.
 *
 * @param position the position of an item, below 2³²
 */
function sortByPosition(count: number, position: (index: number) => number): Uint32Array {
  // One number of 64 bits for each item sorts without a comparing function.
  const keys = new BigUint64Array(count)
  const halves = new Uint32Array(keys.buffer)
  for (let i = 0; i < count; i += 1) {
    halves[2 * i] = i
    halves[2 * i + 1] = position(i)
  }
  keys.sort()
  const order = new Uint32Array(count)
  for (let i = 0; i < count; i += 1) order[i] = halves[2 * i] ?? 0
  return order
}

const BUFFER_BYTES = 1 << 20
const NODE_BYTES = 40
/** West, south, east, north, the first byte and the number of bytes of a feature. */
const ENTRY_NUMBERS = 6

/**
 * Writes FlatGeobuf version 3 with a packed Hilbert R-tree, in EPSG:4326 with longitude first. Before `end`, the path holds the
 * features by id. `end` unlinks that file, keeps it open and writes the final file. Memory holds some 100 bytes for each feature.
 *
 * The package `flatgeobuf` holds all features in memory and writes no index, so only the library `flatbuffers` is used.
 */
export const openFlatGeobuf: OpenWriter = async (path, layer) => {
  const spooled = createOutputFile(path)
  const encode = featureEncoder(layer.columns)
  let entries = new Float64Array(ENTRY_NUMBERS * 1024)
  let count = 0
  let bytes = 0
  let bounds = noBounds
  return {
    async write(batch) {
      for (const feature of batch) {
        const [box, encoded] = [toBounds(feature.geometry), encode(feature)]
        spooled.append(encoded)
        if (ENTRY_NUMBERS * count === entries.length) entries = doubled(entries)
        entries.set([...box, bytes, encoded.length], ENTRY_NUMBERS * count)
        count += 1
        bytes += encoded.length
        bounds = extendBounds(bounds, box)
      }
    },
    async end() {
      spooled.flush()
      unlinkSync(path)
      const ordered = inHilbertOrder(entries, count, bounds)
      const file = createOutputFile(path)
      file.append(magicBytes)
      file.append(encodeHeader(layer, count, bounds))
      if (count > 0) for (const node of packedRTree(ordered)) file.append(node)
      for (const feature of readFeatures(spooled.file, ordered)) file.append(feature)
      file.flush()
      closeSync(file.file)
      closeSync(spooled.file)
    },
  }
}

function doubled(numbers: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * numbers.length)
  larger.set(numbers)
  return larger
}

/** Returns the entries in the order of the centres of their boxes on the Hilbert curve. */
function inHilbertOrder(entries: Float64Array, count: number, [west, south, east, north]: Bounds): Float64Array {
  const centre = (index: number, side: number) =>
    ((entries[ENTRY_NUMBERS * index + side] ?? 0) + (entries[ENTRY_NUMBERS * index + side + 2] ?? 0)) / 2
  const order = sortByPosition(count, (index) =>
    hilbertPosition(gridCell(centre(index, 0), west, east), gridCell(centre(index, 1), south, north)),
  )
  const ordered = new Float64Array(ENTRY_NUMBERS * count)
  for (const [n, index] of order.entries())
    ordered.set(entries.subarray(ENTRY_NUMBERS * index, ENTRY_NUMBERS * (index + 1)), ENTRY_NUMBERS * n)
  return ordered
}

/** Yields the features in the order of the entries. The next step overwrites the yielded bytes. */
function* readFeatures(file: number, entries: Float64Array): Generator<Uint8Array> {
  let buffer = new Uint8Array(BUFFER_BYTES)
  for (let at = 0; at < entries.length; at += ENTRY_NUMBERS) {
    const [start = 0, length = 0] = entries.subarray(at + 4, at + ENTRY_NUMBERS)
    if (length > buffer.length) buffer = new Uint8Array(length)
    if (readSync(file, buffer, 0, length, start) < length) throw new Error('The temporary file of features ended early')
    yield buffer.subarray(0, length)
  }
}

/**
 * Yields the nodes of the packed R-tree of FlatGeobuf from the root to the leaves, which are the entries. One feature has a root above it, too.
 * The next step overwrites the yielded bytes.
 */
function* packedRTree(entries: Float64Array): Generator<Uint8Array> {
  const levels = [entries]
  do levels.push(toParents(levels.at(-1) ?? entries))
  while ((levels.at(-1) ?? entries).length > ENTRY_NUMBERS)
  const node = new DataView(new ArrayBuffer(NODE_BYTES))
  // A parent names its first child by its number, and a leaf the first byte of its feature.
  let offset = 1
  for (const [level, boxes] of [...levels.entries()].toReversed()) {
    const children = (levels[level - 1]?.length ?? 0) / ENTRY_NUMBERS
    if (level === 0) offset = 0
    for (let at = 0; at < boxes.length; at += ENTRY_NUMBERS) {
      for (let side = 0; side < 4; side += 1) node.setFloat64(8 * side, boxes[at + side] ?? 0, true)
      node.setBigUint64(32, BigInt(offset), true)
      yield new Uint8Array(node.buffer)
      offset += level === 0 ? (boxes[at + 5] ?? 0) : Math.min(NODE_SIZE, children - (at / ENTRY_NUMBERS) * NODE_SIZE)
    }
  }
}

function toParents(boxes: Float64Array): Float64Array {
  const parents = new Float64Array(ENTRY_NUMBERS * Math.ceil(boxes.length / ENTRY_NUMBERS / NODE_SIZE))
  for (let at = 0; at < parents.length; at += ENTRY_NUMBERS) {
    const end = Math.min(NODE_SIZE * (at + ENTRY_NUMBERS), boxes.length)
    let bounds = noBounds
    for (let child = NODE_SIZE * at; child < end; child += ENTRY_NUMBERS) {
      const [west = 0, south = 0, east = 0, north = 0] = boxes.subarray(child, child + 4)
      bounds = extendBounds(bounds, [west, south, east, north])
    }
    parents.set(bounds, at)
  }
  return parents
}

/** Calls are synchronous: they run in a worker thread, which has nothing else to do meanwhile. `append` copies short pieces, to write many at once. */
function createOutputFile(path: string) {
  const file = openSync(path, 'w+')
  const buffer = new Uint8Array(BUFFER_BYTES)
  let length = 0
  const flush = () => {
    writeFileSync(file, buffer.subarray(0, length))
    length = 0
  }
  return {
    file,
    flush,
    append(bytes: Uint8Array) {
      if (length + bytes.length > buffer.length) flush()
      if (bytes.length > buffer.length) return writeFileSync(file, bytes)
      buffer.set(bytes, length)
      length += bytes.length
    },
  }
}
