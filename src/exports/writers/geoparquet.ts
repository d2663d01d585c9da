import { zstdCompressSync } from 'node:zlib'

import { fileWriter, ParquetWriter } from 'hyparquet-writer'

import type { Column } from '../../gis/columns.ts'
import { toBounds, extendBounds, noBounds } from './bounds.ts'
import { type BoundsStruct, parquetMetadata, parquetSchema, toBoundsStruct } from './geoparquet-schema.ts'
import { encodeWkb } from './wkb.ts'
import type { Feature, OpenWriter } from '../../gis/downloads/writer.ts'

const GROUP_ROWS = 50_000
/** Rows with texts of usual length fill this first. Larger groups would be read a little faster, but need memory several times their size. */
const GROUP_BYTES = 4 << 20

/** Writes GeoParquet 1.1.0 with a column `bbox`, compressed with Zstandard. Memory holds one row group. */
export const openGeoParquet: OpenWriter = async (path, layer) => {
  const file = fileWriter(path)
  const parquet = new ParquetWriter({
    writer: file,
    schema: parquetSchema(layer),
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
    createdBy: 'Fixpoint',
  })
  let group = createRowGroup(layer.columns)
  let bounds = noBounds
  let count = 0
  const writeGroup = async () => {
    await parquet.write({ columnData: group.columnData(), rowGroupSize: GROUP_ROWS })
    group = createRowGroup(layer.columns)
  }
  return {
    async write(batch) {
      for (const feature of batch) {
        const box = toBounds(feature.geometry)
        bounds = extendBounds(bounds, box)
        count += 1
        group.add(feature, toBoundsStruct(box))
        if (group.isFull()) await writeGroup()
      }
    },
    async end() {
      if (!group.isEmpty()) await writeGroup()
      parquet.kvMetadata = parquetMetadata(layer, count === 0 ? undefined : bounds)
      await parquet.finish()
    },
  }
}

type Value = Feature['values'][number]

function createRowGroup(columns: readonly Column[]) {
  const values = columns.map((): (Value | bigint)[] => [])
  const geometries: Uint8Array[] = []
  const boxes: BoundsStruct[] = []
  let bytes = 0
  return {
    isEmpty: () => geometries.length === 0,
    isFull: () => geometries.length >= GROUP_ROWS || bytes >= GROUP_BYTES,
    add(feature: Feature, box: BoundsStruct) {
      for (const [index, { type }] of columns.entries()) {
        const value = feature.values[index] ?? null
        bytes += typeof value === 'string' ? value.length : 8
        values[index]?.push(type === 'timestamp' && value !== null ? BigInt(Date.parse(String(value))) : value)
      }
      // The library's encoder of WKB would hold a kilobyte for each point.
      const geometry = encodeWkb(feature.geometry)
      bytes += geometry.length
      geometries.push(geometry)
      boxes.push(box)
    },
    /** Smallest and largest texts take long to find, and rows in the order of ids have the same in every group. */
    columnData: () => [
      ...columns.map(({ name, type }, index) => ({ name, data: values[index] ?? [], statistics: type !== 'text' })),
      { name: 'geometry', data: geometries, encoding: 'PLAIN' as const, statistics: false },
      { name: 'bbox', data: boxes },
    ],
  }
}
