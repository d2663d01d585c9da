import { PbfWriter } from 'pbf'

import { EXTENT } from './tile-grid.ts'

/** The encoding of points as Mapbox Vector Tile 2.1. */

export type Value = string | number | boolean

export interface Feature {
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

/** Returns a tile with one layer; empty without features, which is a valid tile. */
export function encodeTile(layer: string, keys: readonly string[], features: readonly Feature[]): Buffer {
  if (features.length === 0) return Buffer.alloc(0)
  const tile = new PbfWriter()
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
  const values = new Map<Value, number>()
  for (const feature of features) pbf.writeMessage(2, writeFeature, { feature, values })
  for (const key of keys) pbf.writeStringField(3, key)
  for (const value of values.keys()) pbf.writeMessage(4, writeValue, value)
  pbf.writeVarintField(5, EXTENT)
}

function writeFeature({ feature, values }: { feature: Feature; values: Map<Value, number> }, pbf: PbfWriter): void {
  if (feature.id !== undefined) pbf.writeVarintField(1, feature.id)
  const tags: number[] = []
  for (const [key, value] of feature.values.entries()) {
    if (value === null) continue
    let position = values.get(value)
    if (position === undefined) values.set(value, (position = values.size))
    tags.push(key, position)
  }
  pbf.writePackedVarint(2, tags)
  pbf.writeVarintField(3, POINT)
  pbf.writePackedVarint(4, [MOVE_TO, zigzag(feature.x), zigzag(feature.y)])
}

const zigzag = (number: number) => (number << 1) ^ (number >> 31)

function writeValue(value: Value, pbf: PbfWriter): void {
  if (typeof value === 'string') pbf.writeStringField(1, value)
  else if (typeof value === 'boolean') pbf.writeBooleanField(7, value)
  else if (value >= 0) pbf.writeVarintField(5, value)
  else pbf.writeSVarintField(6, value)
}
