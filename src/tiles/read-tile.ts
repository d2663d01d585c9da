import type { Queryable } from '../database/database.ts'
import type { Box } from '../geo/shapes.ts'
import type { IssueFilter } from '../issues/list/filter.ts'
import {
  toTileCells,
  tileCellsBox,
  cellCentre,
  type TileCells,
  bufferedBox,
  createProjection,
  type TileAddress,
  ZOOM_MAX,
} from './tile-grid.ts'
import { countByCell, type CellCounts, type StatusCounts, countByGrid, type GridSquare } from './cluster-queries.ts'
import { encodeTile, type Feature } from './encode-tile.ts'
import { type TileVersion } from './tile-version.ts'
import { findTilePoints, POINTS_MAX, type TilePoint } from './point-queries.ts'
import { cellSize_degrees } from '../geo/pyramid/cells.ts'
import { statuses } from '../issue-lifecycle/status.ts'

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

export interface Cluster {
  readonly lng: number
  readonly lat: number
  readonly counts: StatusCounts
}

/** Pixels of a cell at the zoom of its tile, where circles are closest. */
const CELL_PIXELS = 32

/**
 * Returns clusters with the sums of their cells, at the mean of the centres of these cells, weighted by the number of issues. The mean is moved away
 * from the edge of the cell as far as the numbers of two neighbours need room (src/web/map/browser/issue-style/layers.ts).
 */
export function toClusters(cells: readonly CellCounts[], { level, clusterLevel }: TileCells): readonly Cluster[] {
  const cellsInCluster = 4 ** (level - clusterLevel)
  const size = cellSize_degrees(clusterLevel)
  const shown = cells.filter(({ counts }) => total(counts) > 0)
  const groups = Map.groupBy(shown, ({ cell }) => Math.floor(cell / cellsInCluster))
  return [...groups].map(([cell, group]) => {
    const counts = sumCounts(group)
    const count = total(counts)
    const weighted = group.map(({ cell, counts: ofCell }) => ({ ...cellCentre(cell), weight: total(ofCell) }))
    const centre = cellCentre(cell)
    const range = size * (0.5 - roomShare(count))
    const place = (coordinate: 'lng' | 'lat') => {
      const mean = weighted.reduce((sum, { weight, ...at }) => sum + at[coordinate] * weight, 0) / count
      return Math.min(Math.max(mean, centre[coordinate] - range), centre[coordinate] + range)
    }
    return { lng: place('lng'), lat: place('lat'), counts }
  })
}

/** Returns the least distance from the edge of the cell as a share of its width. A single issue has no number. */
function roomShare(count: number): number {
  if (count === 1) return 0
  const radius = 8 + 4 * Math.log10(count)
  return Math.min(0.75 * radius + 2, 15) / CELL_PIXELS
}

const total = (counts: StatusCounts) => statuses.reduce((sum, status) => sum + counts[status], 0)

const sumCounts = (cells: readonly CellCounts[]) =>
  Object.fromEntries(statuses.map((status) => [status, cells.reduce((sum, { counts }) => sum + counts[status], 0)])) as StatusCounts
