import { PbfWriter } from 'pbf'

import { EXTENT } from './tile-grid.ts'

/** The encoding of points as Mapbox Vector Tile 2.1. */

export type Value = string | number | boolean

export interface Feature {
  /** It is also the property `id`, because not all programs show the ids of features. */
  readonly id?: number
  readonly x: number
  readonly y: number
  /** Values by the position of their key; null if the feature has no such property. */
  readonly values: readonly (Value | null)[]
}

const POINT = 1
/** The command MoveTo with a count of one. */
const MOVE_TO = 9
const VERSION = 2
/** Wire types of Protocol Buffers. */
const [VARINT, BYTES] = [0, 2]
/** Most features need less; the writer grows. */
const FEATURE_BYTES = 48

/** Returns a tile with one layer; empty without features, which is a valid tile. */
export function encodeTile(layer: string, keys: readonly string[], features: readonly Feature[]): Buffer {
  if (features.length === 0) return Buffer.alloc(0)
  const tile = new PbfWriter(new Uint8Array(1_000 + features.length * FEATURE_BYTES))
  tile.writeMessage(3, writeLayer, { layer, keys, features })
  const bytes = tile.finish()
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

interface Layer {
  readonly layer: string
  readonly keys: readonly string[]
  readonly features: readonly Feature[]
}

function writeLayer({ layer, keys, features }: Layer, pbf: PbfWriter): void {
  pbf.writeVarintField(15, VERSION)
  pbf.writeStringField(1, layer)
  const values = createValueTable()
  for (const feature of features) writeFeature(pbf, feature, values)
  for (const key of ['id', ...keys]) pbf.writeStringField(3, key)
  for (const value of values.list) writeValue(pbf, value)
  pbf.writeVarintField(5, EXTENT)
}

function createValueTable() {
  const list: Value[] = []
  const positions = new Map<Value, number>()
  const add = (value: Value) => list.push(value) - 1
  return {
    list,
    add,
    positionOf(value: Value): number {
      let position = positions.get(value)
      if (position === undefined) positions.set(value, (position = add(value)))
      return position
    },
  }
}

function writeFeature(pbf: PbfWriter, { id, x, y, values }: Feature, table: ReturnType<typeof createValueTable>): void {
  const start = beginMessage(pbf, 2)
  if (id !== undefined) pbf.writeVarintField(1, id)
  const tags = beginMessage(pbf, 2)
  if (id !== undefined) {
    pbf.writeVarint(0)
    // Ids are distinct, so they need not be looked up.
    pbf.writeVarint(table.add(id))
  }
  for (let n = 0; n < values.length; n++) {
    const value = values[n]
    if (value === null || value === undefined) continue
    pbf.writeVarint(n + 1)
    pbf.writeVarint(table.positionOf(value))
  }
  endMessage(pbf, tags)
  pbf.writeTag(3, VARINT)
  pbf.writeVarint(POINT)
  const geometry = beginMessage(pbf, 4)
  pbf.writeVarint(MOVE_TO)
  pbf.writeSVarint(x)
  pbf.writeSVarint(y)
  endMessage(pbf, geometry)
  endMessage(pbf, start)
}

function writeValue(pbf: PbfWriter, value: Value): void {
  if (typeof value === 'string') {
    pbf.writeMessage(4, (text: string) => pbf.writeStringField(1, text), value)
    return
  }
  const start = beginMessage(pbf, 4)
  pbf.writeTag(typeof value === 'boolean' ? 7 : 5, VARINT)
  pbf.writeVarint(Number(value))
  endMessage(pbf, start)
}

/** Begins a message of fewer than 128 bytes, whose length is one byte. This takes half the time of `writeMessage`. */
function beginMessage(pbf: PbfWriter, tag: number): number {
  pbf.writeTag(tag, BYTES)
  pbf.realloc(1)
  return pbf.pos++
}

function endMessage(pbf: PbfWriter, start: number): void {
  pbf.buf[start] = pbf.pos - start - 1
}
