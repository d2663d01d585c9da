import type { Queryable } from '../database/database.ts'
import type { Box } from '../geo/box.ts'
import type { IssueFilter } from '../issues/list/filter.ts'
import { cellCentre, cellWindow, windowBox } from './cell-window.ts'
import { type CellCounts, countByCell, countByGrid } from './cluster-queries.ts'
import { encodeTile, type Feature } from './encode-tile.ts'
import { findTilePoints, POINTS_MAX, type TilePoint } from './point-queries.ts'
import { bufferedBox, createProjection, type TileAddress, tileBounds, ZOOM_MAX } from './tile-grid.ts'
import type { TileVersion } from './tile-version.ts'

export const LAYER = 'issues'
/** Tiles below this zoom have clusters. */
export const POINTS_ZOOM = 12
export const SUMMARY_ZOOM = 15
const BYTES_MAX = 500_000
/** The columns and rows of clusters in a tile that has too many points. */
const GRID_SIZE = 32

/** The order is that of the values in `toPointValues` and `toClusterValues`. */
const pointKeys = ['id', 'status', 'request_type_id', 'rating', 'summary']
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
export const tileBox = (tile: TileAddress): Box => (tile.z < POINTS_ZOOM ? windowBox(cellWindow(tile)) : bufferedBox(tile))

/** Returns the tile of the matching issues. Every issue counts in exactly one tile of a zoom, inside the extent. */
export async function readTile(reader: Queryable, tile: TileAddress, filter: IssueFilter): Promise<Tile> {
  if (tile.z < POINTS_ZOOM) return readClusters(reader, tile, filter)
  const { version, points } = await findTilePoints(reader, tile, filter, tile.z >= SUMMARY_ZOOM)
  const body = points.length > POINTS_MAX ? undefined : encodePoints(tile, points)
  if (body && body.length <= BYTES_MAX) return { version, body }
  return { version, body: await readGrid(reader, tile, filter) }
}

function encodePoints(tile: TileAddress, points: readonly TilePoint[]): Buffer {
  const project = createProjection(tile)
  const features: Feature[] = []
  for (const point of points) {
    const position = project(point.lng, point.lat)
    if (position) features.push({ id: point.id, x: position.x, y: position.y, values: toPointValues(point) })
  }
  return encodeTile(LAYER, pointKeys, features)
}

const toPointValues = ({ id, status, requestTypeId, rating, summary }: TilePoint) => [id, status, requestTypeId, rating, summary]

async function readClusters(reader: Queryable, tile: TileAddress, filter: IssueFilter): Promise<Tile> {
  const window = cellWindow(tile)
  const { version, cells } = await countByCell(reader, tile, window, filter)
  const centres = cells.map((cell) => ({ cell, ...cellCentre(window.level, cell.column, cell.row) }))
  return { version, body: encodeClusters(tile, centres) }
}

/** The clusters of the buffer are left out, since the neighbours draw them. */
async function readGrid(reader: Queryable, tile: TileAddress, filter: IssueFilter): Promise<Buffer> {
  const { cells } = await countByGrid(reader, tile, GRID_SIZE, filter)
  const { west, south, east, north } = tileBounds(tile)
  const [width, height] = [Math.min(east, 180) - west, Math.min(north, 90) - Math.max(south, -90)]
  const centres = cells.map((cell) => ({
    cell,
    lng: west + ((cell.column + 0.5) / GRID_SIZE) * width,
    lat: Math.max(south, -90) + ((cell.row + 0.5) / GRID_SIZE) * height,
  }))
  return encodeClusters(tile, centres)
}

function encodeClusters(
  tile: TileAddress,
  clusters: readonly { readonly cell: CellCounts; readonly lng: number; readonly lat: number }[],
): Buffer {
  const project = createProjection(tile)
  const clusterZoom = Math.min(tile.z + 2, ZOOM_MAX)
  const features = clusters.flatMap(({ cell, lng, lat }): Feature[] => {
    const position = project(lng, lat)
    return position ? [{ ...position, values: toClusterValues(cell, clusterZoom) }] : []
  })
  return encodeTile(LAYER, clusterKeys, features)
}

function toClusterValues({ open, acknowledged, closed, archived }: CellCounts, clusterZoom: number) {
  const count = open + acknowledged + closed + archived
  return [true, count, abbreviate(count), open, acknowledged, closed, archived, clusterZoom]
}

/** Returns the number as the library supercluster writes it: 999, 1.2k, 12k. */
function abbreviate(count: number): string {
  if (count < 1_000) return String(count)
  return count < 10_000 ? `${Math.round(count / 100) / 10}k` : `${Math.round(count / 1_000)}k`
}
