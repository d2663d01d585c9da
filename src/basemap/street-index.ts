import { readFile, writeFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { VectorTile, type VectorTileFeature } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { tileIdToZxy } from 'pmtiles'

import { mercatorLatitude } from '../geo/box.ts'
import type { Point } from '../geo/point.ts'
import type { PmtilesFile } from './pmtiles-file.ts'

/* The named roads of a PMTiles file, so that addresses can be searched without a geocoder. `npm run basemap` writes them to a file next to it. */

/** `point` is a vertex near the middle of the longest piece of the road. */
export interface NamedStreet {
  readonly name: string
  readonly point: Point
}

/** About a million streets of a country. */
export const STREET_TILES_MAX = 300_000
const STREETS_MAX = 200_000
/** Roads of one name that are further apart are different streets. */
const CELL_DEGREES = 0.05
const REPORT_TILES = 1_000
const notStreets = ['rail', 'ferry', 'aerialway', 'aeroway']

export const streetIndexPath = (pmtilesPath: string): string => `${pmtilesPath}.streets.json`

/**
 * Returns the named roads of the tiles, which are those of the highest zoom. Tiles that cannot be read are left out.
 * @param tileIds ids of PMTiles
 */
export async function collectStreets(
  file: PmtilesFile,
  tileIds: readonly number[],
  onProgress: (tiles: number) => void,
): Promise<NamedStreet[]> {
  const longest = new Map<string, NamedStreet & { readonly length: number }>()
  for (const [index, tileId] of tileIds.entries()) {
    if (longest.size >= STREETS_MAX) break
    if (index > 0 && index % REPORT_TILES === 0) onProgress(index)
    const [z, x, y] = tileIdToZxy(tileId)
    const bytes = await file.readTile(z, x, y)
    for (const street of bytes ? listRoads(file.isGzip ? gunzipSync(bytes) : bytes, [z, x, y]) : []) {
      const { name, point } = street
      const key = [name, Math.floor(point.lng / CELL_DEGREES), Math.floor(point.lat / CELL_DEGREES)].join()
      if (street.length > (longest.get(key)?.length ?? 0)) longest.set(key, street)
    }
  }
  return [...longest.values()].map(({ name, point }) => ({ name, point }))
}

function listRoads(bytes: Uint8Array, tile: readonly [number, number, number]) {
  try {
    const { roads } = new VectorTile(new PbfReader(bytes)).layers
    return Array.from({ length: roads?.length ?? 0 }, (_, index) => roads?.feature(index)).flatMap((road) => toStreet(road, tile))
  } catch {
    return []
  }
}

function toStreet(road: VectorTileFeature | undefined, [z, x, y]: readonly [number, number, number]) {
  const { name, kind } = road?.properties ?? {}
  if (!road || typeof name !== 'string' || name === '' || notStreets.includes(String(kind))) return []
  const lines = road.loadGeometry().map((line) => ({
    line,
    length: line.reduce((sum, { x: to, y: down }, index) => {
      const from = line[index - 1]
      return from ? sum + Math.hypot(to - from.x, down - from.y) : sum
    }, 0),
  }))
  const [longest] = lines.sort((a, b) => b.length - a.length)
  const middle = longest?.line[Math.floor(longest.line.length / 2)]
  if (!longest || !middle) return []
  const tiles = 2 ** z
  const lng = ((x + middle.x / road.extent) / tiles) * 360 - 180
  return [{ name, length: longest.length, point: { lng, lat: mercatorLatitude((y + middle.y / road.extent) / tiles) } }]
}

export const writeStreetIndex = (path: string, streets: readonly NamedStreet[]): Promise<void> =>
  writeFile(path, JSON.stringify(streets.map(({ name, point: { lng, lat } }) => [name, round(lng), round(lat)])))

const round = (degrees: number) => Math.round(degrees * 1e5) / 1e5

/** Returns no streets if there is no index. */
export async function readStreetIndex(pmtilesPath: string | undefined): Promise<readonly NamedStreet[]> {
  if (pmtilesPath === undefined) return []
  const text = await readFile(streetIndexPath(pmtilesPath), 'utf8').catch(() => '[]')
  return (JSON.parse(text) as [string, number, number][]).map(([name, lng, lat]) => ({ name, point: { lng, lat } }))
}
