import { Builder } from 'flatbuffers'
import type { Position } from 'geojson'

import type { Column } from '../../gis/columns.ts'
import type { Feature, Layer } from '../../gis/downloads/writer.ts'

// The numbers of tables, fields and types are those of header.fbs and feature.fbs (https://github.com/flatgeobuf/flatgeobuf, version 3).
/** Boxes in a node of the index, the default of FlatGeobuf. */
export const NODE_SIZE = 16
export const magicBytes = Uint8Array.of(0x66, 0x67, 0x62, 0x03, 0x66, 0x67, 0x62, 0x00)
const geometryTypes = { Point: 1, Polygon: 3, MultiPolygon: 6 } as const
const columnTypes = { integer: 5, number: 10, text: 11, timestamp: 13 } as const satisfies Record<Column['type'], number>

/** Returns the header with its length before it. Without features it has no index, because a tree of nothing has no root. */
export function encodeHeader(layer: Layer, count: number, bounds: ArrayLike<number>): Uint8Array {
  const builder = new Builder(4096)
  const columns = layer.columns.map((column) => encodeColumn(builder, column))
  const name = builder.createString(layer.name)
  const envelope = count === 0 ? 0 : createDoubles(builder, bounds)
  const columnVector = createOffsets(builder, columns)
  const crs = encodeCrs(builder)
  const title = builder.createString(layer.title)
  const description = builder.createString(`${layer.attribution}. ${layer.licence}`)
  const metadata = builder.createString(JSON.stringify({ licence: layer.licence, attribution: layer.attribution }))
  builder.startObject(14)
  builder.addFieldOffset(0, name, 0)
  builder.addFieldOffset(1, envelope, 0)
  builder.addFieldInt8(2, geometryTypes[layer.geometry], 0)
  builder.addFieldOffset(7, columnVector, 0)
  builder.addFieldInt64(8, BigInt(count), 0n)
  builder.addFieldInt16(9, count === 0 ? 0 : NODE_SIZE, NODE_SIZE)
  builder.addFieldOffset(10, crs, 0)
  builder.addFieldOffset(11, title, 0)
  builder.addFieldOffset(12, description, 0)
  builder.addFieldOffset(13, metadata, 0)
  builder.finishSizePrefixed(builder.endObject())
  return builder.asUint8Array()
}

function encodeColumn(builder: Builder, { name, type, isNullable, description }: Column): number {
  const nameOffset = builder.createString(name)
  const descriptionOffset = description === undefined ? 0 : builder.createString(description)
  builder.startObject(11)
  builder.addFieldOffset(0, nameOffset, 0)
  builder.addFieldInt8(1, columnTypes[type], 0)
  builder.addFieldOffset(3, descriptionOffset, 0)
  builder.addFieldInt8(7, Number(isNullable), 1)
  return builder.endObject()
}

function encodeCrs(builder: Builder): number {
  const organization = builder.createString('EPSG')
  const name = builder.createString('WGS 84')
  builder.startObject(6)
  builder.addFieldOffset(0, organization, 0)
  builder.addFieldInt32(1, 4326, 0)
  builder.addFieldOffset(2, name, 0)
  return builder.endObject()
}

/** Returns a function that encodes features of these columns. A result is overwritten by the next call. */
export function featureEncoder(columns: readonly Column[]): (feature: Feature) => Uint8Array {
  const builder = new Builder(4096)
  const encodeProperties = propertiesEncoder(columns)
  return ({ geometry, values }) => {
    builder.clear()
    const properties = builder.createByteVector(encodeProperties(values))
    const geometryOffset =
      geometry.type === 'Point'
        ? encodeGeometry(builder, geometryTypes.Point, createDoubles(builder, geometry.coordinates.slice(0, 2)))
        : encodeMultiPolygon(builder, geometry.coordinates)
    builder.startObject(3)
    builder.addFieldOffset(0, geometryOffset, 0)
    builder.addFieldOffset(1, properties, 0)
    builder.finishSizePrefixed(builder.endObject())
    return builder.asUint8Array()
  }
}

function encodeMultiPolygon(builder: Builder, polygons: readonly Position[][][]): number {
  const parts = createOffsets(
    builder,
    polygons.map((rings) => encodePolygon(builder, rings)),
  )
  builder.startObject(8)
  builder.addFieldInt8(6, geometryTypes.MultiPolygon, 0)
  builder.addFieldOffset(7, parts, 0)
  return builder.endObject()
}

/** A ring is found by the number of positions up to its end. */
function encodePolygon(builder: Builder, rings: readonly Position[][]): number {
  let end = 0
  const ends = createIntegers(
    builder,
    rings.map((ring) => (end += ring.length)),
  )
  const positions = createDoubles(
    builder,
    rings.flatMap((ring) => ring.flatMap(([lng = NaN, lat = NaN]) => [lng, lat])),
  )
  return encodeGeometry(builder, geometryTypes.Polygon, positions, ends)
}

function encodeGeometry(builder: Builder, type: number, positions: number, ends = 0): number {
  builder.startObject(8)
  builder.addFieldOffset(0, ends, 0)
  builder.addFieldOffset(1, positions, 0)
  builder.addFieldInt8(6, type, 0)
  return builder.endObject()
}

/** A property is the number of its column and its value. A null is left out. */
function propertiesEncoder(columns: readonly Column[]): (values: Feature['values']) => Uint8Array {
  let buffer = Buffer.alloc(4096)
  return (values) => {
    let length = 0
    for (const [index, { name, type }] of columns.entries()) {
      const value = values[index] ?? null
      if (value === null) continue
      const bytesMax = typeof value === 'string' ? 6 + 3 * value.length : 10
      if (length + bytesMax > buffer.length) buffer = Buffer.concat([buffer], 2 * (length + bytesMax))
      length = buffer.writeUInt16LE(index, length)
      if (typeof value === 'string') {
        if (type === 'integer' || type === 'number') throw new TypeError(`Column ${name} has a text`)
        const bytes = buffer.write(value, length + 4)
        length = buffer.writeUInt32LE(bytes, length) + bytes
      } else if (type === 'integer') length = buffer.writeInt32LE(value, length)
      else if (type === 'number') length = buffer.writeDoubleLE(value, length)
      else throw new TypeError(`Column ${name} has a number`)
    }
    return buffer.subarray(0, length)
  }
}

/** A builder writes from the end of its buffer, so the last number comes first. */
function createDoubles(builder: Builder, numbers: ArrayLike<number>): number {
  builder.startVector(8, numbers.length, 8)
  for (let i = numbers.length - 1; i >= 0; i -= 1) builder.addFloat64(numbers[i] ?? NaN)
  return builder.endVector()
}

function createOffsets(builder: Builder, offsets: readonly number[]): number {
  builder.startVector(4, offsets.length, 4)
  for (let i = offsets.length - 1; i >= 0; i -= 1) builder.addOffset(offsets[i] ?? 0)
  return builder.endVector()
}

function createIntegers(builder: Builder, numbers: readonly number[]): number {
  builder.startVector(4, numbers.length, 4)
  for (let i = numbers.length - 1; i >= 0; i -= 1) builder.addInt32(numbers[i] ?? 0)
  return builder.endVector()
}
