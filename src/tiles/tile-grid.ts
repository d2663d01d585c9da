import { type Box, mercatorLatitude, mercatorY } from '../geo/box.ts'

/** A tile of the Web Mercator pyramid: columns from the west, rows from the north. */
export interface TileAddress {
  readonly z: number
  readonly x: number
  readonly y: number
}

export const ZOOM_MAX = 22
export const EXTENT = 4_096
/**
 * Units of the extent around a tile: 64 pixels of a tile of 512 pixels, 32 of one of 256. Programs that cut drawings off at the edge of
 * a tile, such as Leaflet, need it for the largest circle of the style, 17 pixels. MapLibre draws beyond the edge and ignores points of
 * the buffer. Their coordinates are outside 0 to 4095, so that clients do not count them.
 */
export const BUFFER = 512

const BEYOND_WORLD = { lng: 181, lat: 91 }

/**
 * Returns the region of a tile in degrees: `west` and `north` belong to it, `east` and `south` do not. The last column includes 180, and the
 * first and last row include the poles. Neighbours compute a common edge by the same expression, so that every point belongs to exactly one tile.
 */
export function tileBounds({ z, x, y }: TileAddress) {
  const tiles = 2 ** z
  return {
    west: columnEdge(z, x),
    east: x === tiles - 1 ? BEYOND_WORLD.lng : columnEdge(z, x + 1),
    north: y === 0 ? BEYOND_WORLD.lat : rowEdge(z, y),
    south: y === tiles - 1 ? -BEYOND_WORLD.lat : rowEdge(z, y + 1),
  }
}

const columnEdge = (z: number, x: number) => (x * 360) / 2 ** z - 180
const rowEdge = (z: number, y: number) => mercatorLatitude(y / 2 ** z)

/** Returns a box that contains a tile of zoom 1 or more and its buffer. It crosses the antimeridian if the buffer does. */
export function bufferedBox({ z, x, y }: TileAddress): Box {
  const tiles = 2 ** z
  const margin = BUFFER / EXTENT
  const [west, east] = [columnEdge(z, x - margin), columnEdge(z, x + 1 + margin)]
  return {
    west: west < -180 ? west + 360 : west,
    east: east > 180 ? east - 360 : east,
    north: y === 0 ? 90 : rowEdge(z, y - margin),
    south: y === tiles - 1 ? -90 : rowEdge(z, y + 1 + margin),
  }
}

/** Returns a function that gives the coordinates of a point in a tile, or undefined beyond its buffer. */
export function createProjection(tile: TileAddress): (lng: number, lat: number) => { x: number; y: number } | undefined {
  const tiles = 2 ** tile.z
  const world = tiles * EXTENT
  const { west, south, east, north } = tileBounds(tile)
  return (lng, lat) => {
    const fromWest = Math.floor((((lng + 180) / 360) * tiles - tile.x) * EXTENT)
    const x = lng >= west && lng < east ? clampInside(fromWest) : clampOutside(nearestCopy(fromWest, world))
    const fromNorth = Math.floor((mercatorY(lat) * tiles - tile.y) * EXTENT)
    const y = lat <= north && lat > south ? clampInside(fromNorth) : clampOutside(fromNorth)
    return isInBuffer(x) && isInBuffer(y) ? { x, y } : undefined
  }
}

/** Rounding must not move a point of the tile out of it, or a point of the buffer into it. */
const clampInside = (coordinate: number) => Math.min(Math.max(coordinate, 0), EXTENT - 1)
const clampOutside = (coordinate: number) =>
  coordinate < 0 || coordinate >= EXTENT ? coordinate : coordinate < EXTENT / 2 ? -1 : EXTENT
const isInBuffer = (coordinate: number) => coordinate >= -BUFFER && coordinate <= EXTENT + BUFFER

/** A tile at the antimeridian draws points of the other side of the world. */
function nearestCopy(coordinate: number, world: number): number {
  if (coordinate > world / 2) return coordinate - world
  return coordinate < -world / 2 ? coordinate + world : coordinate
}
