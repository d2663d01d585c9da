import type { City, Hub } from './cities/city.ts'
import { projection, type Metres } from './plane.ts'

export interface Neighborhood extends Omit<Hub, 'at'> {
  readonly middle: Metres
  /** Direction of its streets in degrees clockwise from north. */
  readonly bearing: number
}

/** Neighborhoods whose streets have almost the same direction share a grid. */
const BEARING_STEP = 8
const SPREAD_M = 780
const WEIGHT = 3.4
const parks = ['the neighborhood park', 'the playground', 'the ball field', 'the rec center lawn', 'the pocket park']
const landmarks = [
  'the bus stop',
  'the laundromat',
  'the corner store',
  'the elementary school',
  'the gas station',
  'the church',
  'the bank',
]

/** Returns the hubs and the smaller neighborhoods of a city. */
export function listNeighborhoods({ center, hubs, layout }: City): Neighborhood[] {
  const toMetres = projection(center)
  const round = (bearing = layout.bearing) => Math.round(bearing / BEARING_STEP) * BEARING_STEP
  const large = hubs.map((hub) => ({ ...hub, middle: toMetres(hub.at), bearing: round(layout.hubBearings[hub.name]) }))
  const small = layout.neighborhoods.map(([name, at, bearing], index) => ({
    ...{ name, bearing: round(bearing), middle: toMetres(at), spread_m: SPREAD_M, weight: WEIGHT },
    ...{ park: parks[index % parks.length] ?? '', near: landmarks[index % landmarks.length] ?? '' },
  }))
  return [...large, ...small]
}
