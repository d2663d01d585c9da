import type { Area } from '../area.ts'
import { longitudesOf } from '../box.ts'
import { EARTH_RADIUS_M } from '../circle.ts'
import type { Point } from '../point.ts'
import { type Cell, cellAt, degreesOf, type Place, placeOf } from './cells.ts'

/*
 * The cells of a ring around a point (docs/adr/0033): all that may hold something between two distances. Each is judged by how far its centre is
 * and how far its corners may be from that, so poles, the antimeridian and the other side of the world are cells like others.
 */

/** Whatever lies at these distances or between them, in metres on the sphere of mean radius. */
export interface Ring {
  readonly origin: Point
  readonly from_m: number
  readonly to_m: number
}

export interface RingCell {
  readonly cell: Cell
  /** Nothing of it is nearer, and nothing farther. */
  readonly near_m: number
  readonly far_m: number
}

/** Whether an area may have something less than `reach_m` away from a point. */
export type Touches = (centre: Point, reach_m: number, reach_degrees: number) => boolean

/** Far more than all rounding: that of the database, of cells and of what is reckoned here. */
const MARGIN_M = 1
const MARGIN_DEGREES = 1e-5

const radians = (degrees: number) => (degrees * Math.PI) / 180

/** The two halves of the world; the cell above them has more of it than there is. */
export const halves = [{ cell: cellAt(1, 0, 0) }, { cell: cellAt(1, 1, 0) }]

/** The cells of a level that may hold something of the ring and of the area, beneath those of a level above it. */
export function cellsOfRing(ring: Ring, touches: Touches, level: number, above: readonly Pick<RingCell, 'cell'>[]): RingCell[] {
  const cells: RingCell[] = []
  const reach = reachIn(ring, touches)
  const look = (place: Place) => {
    const found = reach(place)
    if (!found) return
    if (place.level >= level) {
      cells.push(found)
      return
    }
    const [column, row] = [2 * place.column, 2 * place.row]
    for (const x of [0, 1]) for (const y of [0, 1]) look({ level: place.level + 1, column: column + x, row: row + y })
  }
  for (const { cell } of above) look(placeOf(cell))
  return cells
}

/** Those of these cells that may hold something of the ring and of the area. */
export function cellsInRing(ring: Ring, touches: Touches, cells: Iterable<Cell>): RingCell[] {
  const reach = reachIn(ring, touches)
  return Array.from(cells, (cell) => reach(placeOf(cell))).filter((cell) => cell !== undefined)
}

/** How near and far a cell is; undefined where nothing of it is in the ring, or in the area. */
function reachIn({ origin, from_m, to_m }: Ring, touches: Touches): (place: Place) => RingCell | undefined {
  const angleTo = anglesFrom(origin)
  return ({ level, column, row }) => {
    const centre = centreOf(level, column, row)
    const { sine, cosine } = angleTo(centre)
    const distance_m = EARTH_RADIUS_M * Math.atan2(sine, cosine)
    const reach_m = EARTH_RADIUS_M * diagonalOf(level, centre) + MARGIN_M
    const [near_m, far_m] = [Math.max(distance_m - reach_m, 0), distance_m + reach_m]
    if (near_m > to_m || far_m < from_m) return undefined
    if (!touches(centre, reach_m, degreesOf(level) / 2 + MARGIN_DEGREES)) return undefined
    return { cell: cellAt(level, column, row), near_m, far_m }
  }
}

/** What is known of an area without asking the database; elsewhere it may be anywhere. */
export function touchesArea(area: Area): Touches {
  switch (area.kind) {
    case 'box': {
      const ranges = longitudesOf(area.box)
      const { south, north } = area.box
      return ({ lng, lat }, _, reach) =>
        lat + reach >= south && lat - reach <= north && ranges.some(([west, east]) => lng + reach >= west && lng - reach <= east)
    }
    case 'circle': {
      const angleTo = anglesFrom(area.centre)
      return (centre, reach_m) => {
        const { sine, cosine } = angleTo(centre)
        return EARTH_RADIUS_M * Math.atan2(sine, cosine) <= area.radius_m + reach_m
      }
    }
    case 'everywhere':
    case 'place':
    case 'polygon':
    case 'watched':
      return () => true
  }
}

function centreOf(level: number, column: number, row: number): Point {
  const size = degreesOf(level)
  return { lng: (column + 0.5) * size - 180, lat: (row + 0.5) * size - 90 }
}

/**
 * Half the diagonal of a cell as an angle: no way from its centre to anything in it, straight ahead in longitude and latitude, is longer, measured
 * where meridians are farthest apart.
 */
function diagonalOf(level: number, { lat }: Point): number {
  const half = degreesOf(level) / 2
  return radians(half) * Math.sqrt(Math.cos(radians(Math.max(Math.abs(lat) - half, 0))) ** 2 + 1)
}

/**
 * Sine and cosine of the angle from a point to others, by vectors and so as exact for neighbours as for antipodes; the sine also as how far it goes
 * east and north at its end.
 */
function anglesFrom(from: Point) {
  const [sin, cos] = [Math.sin(radians(from.lat)), Math.cos(radians(from.lat))]
  return (to: Point) => {
    const [sinTo, cosTo, turn] = [Math.sin(radians(to.lat)), Math.cos(radians(to.lat)), radians(to.lng - from.lng)]
    const east = cos * Math.sin(turn)
    const north = cos * sinTo * Math.cos(turn) - sin * cosTo
    return { sine: Math.sqrt(east * east + north * north), cosine: sin * sinTo + cos * cosTo * Math.cos(turn), east, north, cosTo }
  }
}

/** `lng * perLng + lat * perLat`, in micrometres, is between `least` and `most` for everything in a cell that lies in the ring. */
export interface Strip {
  readonly perLng: number
  readonly perLat: number
  readonly least: number
  readonly most: number
}

/** More than any distance. */
const ENDLESS_M = 1e12
const MICROMETRES = 1e6

/**
 * Where the ring is in a cell, as two parallel straight lines in longitude and latitude: a database compares them ten times as fast as it measures a
 * distance. They are as far apart as the ring is broad and bent: half of the second derivative along any straight line from the centre, which is that of
 * the circles around the origin and that of parallels.
 */
export function stripIn({ origin, from_m, to_m }: Ring, { cell, near_m, far_m }: RingCell): Strip {
  const { level, column, row } = placeOf(cell)
  const centre = centreOf(level, column, row)
  const { sine, cosine, east, north, cosTo } = anglesFrom(origin)(centre)
  const bent = Math.max(...[near_m, far_m].map((metres) => Math.abs(1 / Math.tan(metres / EARTH_RADIUS_M))))
  const parallels = 1.16 * Math.tan(Math.min(radians(Math.abs(centre.lat) + degreesOf(level) / 2), Math.PI / 2))
  const off_m = (EARTH_RADIUS_M / 2) * (bent + parallels) * diagonalOf(level, centre) ** 2 + MARGIN_M
  const isAtEnd = near_m === 0 || far_m >= Math.PI * EARTH_RADIUS_M || !(off_m < ENDLESS_M)
  if (isAtEnd) return { perLng: 0, perLat: 0, least: -1, most: 1 }
  const perRadian = (EARTH_RADIUS_M * Math.PI) / 180 / sine
  // Whole micrometres: a product that gets too small to be told from 0 is an error to PostgreSQL, and a longitude may be as small as numbers get.
  const perLng = Math.round(east * cosTo * perRadian * MICROMETRES)
  const perLat = Math.round(north * perRadian * MICROMETRES)
  const atCentre = perLng * centre.lng + perLat * centre.lat - EARTH_RADIUS_M * Math.atan2(sine, cosine) * MICROMETRES
  const [least_m, most_m] = [from_m - off_m, Math.min(to_m + off_m, ENDLESS_M)]
  return {
    perLng,
    perLat,
    least: Math.floor(atCentre + least_m * MICROMETRES),
    most: Math.ceil(atCentre + most_m * MICROMETRES),
  }
}
