import type { Queryable } from '../database/database.ts'
import type { Box } from '../geo/box.ts'
import type { IssueFilter } from '../issues/list/filter.ts'
import { toTileCells, tileCellsBox } from './tile-cells.ts'
import { countByCell } from './cluster-queries.ts'
import { toClusters } from './clusters.ts'
import { encodeTile, type Feature } from './encode-tile.ts'
import { countByGrid, type GridSquare } from './grid-queries.ts'
import { findTilePoints, POINTS_MAX, type TilePoint } from './point-queries.ts'
import { bufferedBox, createProjection, type TileAddress, ZOOM_MAX } from './tile-grid.ts'
import type { TileVersion } from './tile-version.ts'

export const LAYER = 'issues'
/** Tiles below this zoom have clusters. */
export const POINTS_ZOOM = 12
/** Points have their summary and address from this zoom. */
export const TEXTS_ZOOM = 15
const BYTES_MAX = 500_000

/** The order is that of the values in `encodePoints` and `encodeClusters`. */
const pointKeys = ['status', 'request_type_id', 'rating', 'summary', 'address']
const clusterKeys = [
  'cluster',
  'point_count',
  'point_count_abbreviated',
  'open',
  'acknowledged',
  'closed',
  'archived',
  'cluster_zoom',
]

export interface Tile {
  readonly version: TileVersion
  /** A Mapbox Vector Tile 2.1; empty without issues. */
  readonly body: Buffer
}

/** Returns a box that contains all issues that a tile shows, those of its buffer included. */
export const tileBox = (tile: TileAddress): Box => (tile.z < POINTS_ZOOM ? tileCellsBox(toTileCells(tile)) : bufferedBox(tile))

/** Returns the tile of the matching issues. Every issue counts in exactly one tile of a zoom, inside the extent. */
export async function readTile(reader: Queryable, tile: TileAddress, filter: IssueFilter): Promise<Tile> {
  if (tile.z < POINTS_ZOOM) return readClusters(reader, tile, filter)
  const { version, points } = await findTilePoints(reader, tile, filter, tile.z >= TEXTS_ZOOM)
  const body = points.length > POINTS_MAX ? undefined : encodePoints(tile, points)
  if (body && body.length <= BYTES_MAX) return { version, body }
  return { version, body: encodeClusters(tile, await countByGrid(reader, tile, filter)) }
}

function encodePoints(tile: TileAddress, points: readonly TilePoint[]): Buffer {
  const project = createProjection(tile)
  const features: Feature[] = []
  for (const { id, lng, lat, status, requestTypeId, rating, summary, address } of points) {
    const position = project(lng, lat)
    if (position) features.push({ id, x: position.x, y: position.y, values: [status, requestTypeId, rating, summary, address] })
  }
  return encodeTile(LAYER, pointKeys, features)
}

async function readClusters(reader: Queryable, tile: TileAddress, filter: IssueFilter): Promise<Tile> {
  const tileCells = toTileCells(tile)
  const { version, cells } = await countByCell(reader, tileCells, filter)
  const project = createProjection(tile)
  const clusters = toClusters(cells, tileCells).flatMap(({ lng, lat, counts }) => {
    const position = project(lng, lat)
    return position ? [{ ...position, counts }] : []
  })
  return { version, body: encodeClusters(tile, clusters) }
}

function encodeClusters({ z }: TileAddress, clusters: readonly GridSquare[]): Buffer {
  const clusterZoom = Math.min(z + 2, ZOOM_MAX)
  const features = clusters.flatMap(({ x, y, counts }): Feature[] => {
    const { Open, Acknowledged, Closed, Archived } = counts
    const count = Open + Acknowledged + Closed + Archived
    const values = [true, count, abbreviate(count), Open, Acknowledged, Closed, Archived, clusterZoom]
    return count === 0 ? [] : [{ x, y, values }]
  })
  return encodeTile(LAYER, clusterKeys, features)
}

/** Returns the number as the library supercluster writes it: 999, 1.2k, 12k. */
function abbreviate(count: number): string {
  if (count < 1_000) return String(count)
  return count < 10_000 ? `${Math.round(count / 100) / 10}k` : `${Math.round(count / 1_000)}k`
}
