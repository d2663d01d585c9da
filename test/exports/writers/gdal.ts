import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'

import type { FeatureCollection, MultiPolygon, Point, Position } from 'geojson'

import type { Feature, Layer } from '../../../src/gis/downloads/writer.ts'
import { positionsOf } from './invented-layers.ts'

const run = promisify(execFile)
export const hasGdal = spawnSync('ogrinfo', ['--version']).status === 0
export const gdal = `GDAL${hasGdal ? '' : ' (skipped: ogrinfo is not installed)'}`

/** Returns the features that GDAL reads, sorted by id, with timestamps and coordinates as the tests invent them. */
export async function readWithGdal(file: string, layer: Layer, ...options: string[]): Promise<readonly Feature[]> {
  const { stdout } = await run('ogr2ogr', ['-f', 'GeoJSON', ...options, '/vsistdout/', file, layer.name], { maxBuffer: 1 << 28 })
  const { features } = JSON.parse(stdout) as FeatureCollection<Point | MultiPolygon, Record<string, string | number | null>>
  return features
    .map(({ geometry, properties }) => ({
      id: Number(properties['id']),
      geometry: { ...geometry, coordinates: rounded(geometry.coordinates) } as Point | MultiPolygon,
      values: layer.columns.map(({ name }) => properties[name] ?? null),
    }))
    .sort((a, b) => a.id - b.id)
}

/** Returns lines such as `title: String (0.0) NOT NULL` for the columns, and the count, the type and the metadata of a layer. */
export async function describeWithGdal(file: string, layer: Layer): Promise<string> {
  const { stdout } = await run('ogrinfo', ['-so', '-nocount', '-wkt_format', 'WKT1', file, layer.name])
  return stdout
}

type Coordinates = Position | Position[] | Position[][] | Position[][][]

function rounded(coordinates: Coordinates): Coordinates {
  return coordinates.map((part) => (typeof part === 'number' ? Math.round(part * 1e7) / 1e7 : rounded(part))) as Coordinates
}

/** Returns the features that touch a box, found without an index. */
export function featuresIn(features: readonly Feature[], [west, south, east, north]: readonly [number, number, number, number]) {
  return features.filter((feature) => {
    const positions = positionsOf(feature)
    const lngs = positions.map(([lng = NaN]) => lng)
    const lats = positions.map(([, lat = NaN]) => lat)
    return Math.min(...lngs) <= east && Math.max(...lngs) >= west && Math.min(...lats) <= north && Math.max(...lats) >= south
  })
}
