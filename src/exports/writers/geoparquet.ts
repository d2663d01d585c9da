import { zstdCompressSync } from 'node:zlib'
import { fileWriter, geojsonToWkb, ParquetWriter, type KeyValue, type SchemaElement } from 'hyparquet-writer'

import type { Column } from '../../gis/columns.ts'
import { toBounds, extendBounds, noBounds, type Bounds } from './flatgeobuf.ts'
import type { Feature, OpenWriter, Layer } from '../../gis/downloads/writer.ts'

const sides = ['xmin', 'ymin', 'xmax', 'ymax'] as const
type BoundsStruct = Record<(typeof sides)[number], number>

const toBoundsStruct = ([xmin, ymin, xmax, ymax]: Bounds): BoundsStruct => ({ xmin, ymin, xmax, ymax })

const columnElements = {
  integer: { type: 'INT32' },
  number: { type: 'DOUBLE' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  timestamp: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
} as const satisfies Record<Column['type'], Partial<SchemaElement>>

/** Returns the columns of the layer, then `geometry` and its box `bbox`, as a tree in depth-first order. */
function parquetSchema({ columns }: Layer): SchemaElement[] {
  return [
    { name: 'schema', num_children: columns.length + 2 },
    ...columns.map(({ name, type, isNullable }) => ({
      name,
      ...columnElements[type],
      repetition_type: isNullable ? ('OPTIONAL' as const) : ('REQUIRED' as const),
    })),
    { name: 'geometry', type: 'BYTE_ARRAY', repetition_type: 'REQUIRED' },
    { name: 'bbox', repetition_type: 'REQUIRED', num_children: sides.length },
    ...sides.map((name) => ({ name, type: 'DOUBLE' as const, repetition_type: 'REQUIRED' as const })),
  ]
}

/**
 * Returns the metadata of GeoParquet 1.1.0. Without `crs` the coordinates are OGC:CRS84, longitude first.
 *
 * @param bounds undefined for a file without features
 */
function parquetMetadata(layer: Layer, bounds: Bounds | undefined): KeyValue[] {
  const geometry = {
    encoding: 'WKB',
    geometry_types: [layer.geometry],
    ...(bounds && { bbox: bounds }),
    covering: { bbox: Object.fromEntries(sides.map((side) => [side, ['bbox', side]])) },
  }
  return [
    { key: 'geo', value: JSON.stringify({ version: '1.1.0', primary_column: 'geometry', columns: { geometry } }) },
    { key: 'title', value: layer.title },
    { key: 'licence', value: layer.licence },
    { key: 'attribution', value: layer.attribution },
  ]
}

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
      // The copy is small, while each result holds a kilobyte.
      const geometry = Buffer.from(geojsonToWkb(feature.geometry))
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
