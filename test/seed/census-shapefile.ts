import type { Position } from 'geojson'
import { readFileSync } from 'node:fs'

/** Rings of one record, as [longitude, latitude] in degrees. Outer rings run clockwise, holes the other way (ESRI Shapefile, 1998). */
export type Rings = readonly Position[][]

/** Returns the rings of the polygons with these values of `GEOID`. @param path without extension; needs `.shp` and `.dbf` */
export function readCensusPolygons(path: string, geoids: ReadonlySet<string>): Map<string, Rings> {
  const ids = readColumn(readFileSync(`${path}.dbf`), 'GEOID')
  const polygons = readPolygons(readFileSync(`${path}.shp`))
  return new Map(ids.flatMap((id, index) => (geoids.has(id) ? [[id, polygons[index] ?? []] as const] : [])))
}

function readColumn(dbf: Buffer, column: string): string[] {
  const [records, header_bytes, record_bytes] = [dbf.readUInt32LE(4), dbf.readUInt16LE(8), dbf.readUInt16LE(10)]
  let [at, length] = [1, 0]
  for (let field = 32; dbf[field] !== 0x0d; field += 32) {
    length = dbf.readUInt8(field + 16)
    if (dbf.toString('latin1', field, field + 11).replace(/\0.*/s, '') === column) break
    at += length
  }
  return Array.from({ length: records }, (_, index) => {
    const from = header_bytes + index * record_bytes + at
    return dbf.toString('latin1', from, from + length).trim()
  })
}

function readPolygons(shp: Buffer): Position[][][] {
  const polygons: Position[][][] = []
  for (let at = 100; at < shp.length;) {
    const record = shp.subarray(at + 8, at + 8 + shp.readInt32BE(at + 4) * 2)
    const [parts, points] = [record.readInt32LE(36), record.readInt32LE(40)]
    const starts = Array.from({ length: parts + 1 }, (_, part) => (part < parts ? record.readInt32LE(44 + part * 4) : points))
    const position = (point: number): Position => {
      const from = 44 + parts * 4 + point * 16
      return [record.readDoubleLE(from), record.readDoubleLE(from + 8)]
    }
    polygons.push(
      starts
        .slice(0, -1)
        .map((start, part) => Array.from({ length: starts[part + 1]! - start }, (_, index) => position(start + index))),
    )
    at += 8 + record.length
  }
  return polygons
}
