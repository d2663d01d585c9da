import { Buffer } from 'node:buffer'

import type { MultiPolygon, Point, Position } from 'geojson'

const POINT = 1
const POLYGON = 3
const MULTI_POLYGON = 6
const TYPE_BYTES = 5
const POSITION_BYTES = 16

/**
 * Returns the geometry as ISO WKB, little endian, longitude first.
 *
 * @param before the number of free bytes before it
 */
export function encodeWkb(geometry: Point | MultiPolygon, before = 0): Buffer {
  if (geometry.type === 'Point') {
    const wkb = Buffer.allocUnsafe(before + TYPE_BYTES + POSITION_BYTES)
    writePosition(wkb, geometry.coordinates, writeType(wkb, POINT, before))
    return wkb
  }
  const wkb = Buffer.allocUnsafe(before + multiPolygonBytes(geometry))
  let at = writeType(wkb, MULTI_POLYGON, before)
  at = wkb.writeUInt32LE(geometry.coordinates.length, at)
  for (const rings of geometry.coordinates) {
    at = writeType(wkb, POLYGON, at)
    at = wkb.writeUInt32LE(rings.length, at)
    for (const ring of rings) {
      at = wkb.writeUInt32LE(ring.length, at)
      for (const position of ring) at = writePosition(wkb, position, at)
    }
  }
  return wkb
}

function multiPolygonBytes({ coordinates }: MultiPolygon): number {
  let bytes = TYPE_BYTES + 4
  for (const rings of coordinates) {
    bytes += TYPE_BYTES + 4
    for (const ring of rings) bytes += 4 + POSITION_BYTES * ring.length
  }
  return bytes
}

function writeType(wkb: Buffer, type: number, at: number): number {
  return wkb.writeUInt32LE(type, wkb.writeUInt8(1, at))
}

function writePosition(wkb: Buffer, [lng = NaN, lat = NaN]: Position, at: number): number {
  return wkb.writeDoubleLE(lat, wkb.writeDoubleLE(lng, at))
}
