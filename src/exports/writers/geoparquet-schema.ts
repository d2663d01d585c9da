import type { KeyValue, SchemaElement } from 'hyparquet-writer'

import type { Column } from '../../gis/columns.ts'
import type { Bounds } from './bounds.ts'
import type { Layer } from '../../gis/downloads/writer.ts'

const sides = ['xmin', 'ymin', 'xmax', 'ymax'] as const
export type BoundsStruct = Record<(typeof sides)[number], number>

export const toBoundsStruct = ([xmin, ymin, xmax, ymax]: Bounds): BoundsStruct => ({ xmin, ymin, xmax, ymax })

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
export function parquetSchema({ columns }: Layer): SchemaElement[] {
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
export function parquetMetadata(layer: Layer, bounds: Bounds | undefined): KeyValue[] {
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
