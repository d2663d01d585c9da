import { Builder } from 'flatbuffers'
import type { Position } from 'geojson'

import type { Column } from '../../gis/columns.ts'
import { createDoubles, createIntegers, createOffsets, geometryTypes } from './flatgeobuf-schema.ts'
import type { Feature } from '../../gis/downloads/writer.ts'

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
