import type { MultiPolygon } from 'geojson'

import { weightedPicker, type Random } from './random.ts'
import type { City, Hub, LngLat } from './cities/city.ts'
import { isPointInPolygon } from './point-in-polygon.ts'

export interface Spot {
  readonly lng: number
  readonly lat: number
  readonly address: string
  readonly street: string
  /** A street that crosses nearby; undefined if there is none. */
  readonly cross: string | undefined
  readonly hood: string
  readonly near: string
  readonly park: string
}

type Metres = readonly [x: number, y: number]

interface Line {
  readonly name: string
  readonly from: Metres
  readonly along: Metres
  readonly length_m: number
  readonly firstNumber: number
  readonly lastNumber: number
}

const METRES_PER_DEGREE = 111_195
/** Reports are at the kerb or at a house, not in the middle of the road. */
const ROAD_OFFSET_M = [5, 16] as const
const CROSS_STREET_MAX_M = 260
const OUTLIER_PROBABILITY = 0.18

/** Returns a function that picks spots along the streets, more of them near the hubs, all inside the boundary. */
export function createSpotPicker(city: City, boundary: MultiPolygon): (random: Random) => Spot {
  const toMetres = projection(city.center)
  const lines = city.streets.map(([name, from, to, firstNumber, lastNumber]): Line => {
    const [start, end] = [toMetres(from), toMetres(to)]
    const length_m = Math.hypot(end[0] - start[0], end[1] - start[1])
    const along: Metres = [(end[0] - start[0]) / length_m, (end[1] - start[1]) / length_m]
    return { name, from: start, along, length_m, firstNumber, lastNumber }
  })
  const chooseHub = weightedPicker(city.hubs, (hub) => hub.weight)
  const chooseLine = new Map(city.hubs.map((hub) => [hub, createLinePicker(lines, hub, toMetres(hub.at))]))

  const tryOnce = (random: Random): Spot | undefined => {
    const hub = chooseHub(random)
    const line = chooseLine.get(hub)?.(random)
    if (!line) return undefined
    const spread = hub.spread_m * (random.chance(OUTLIER_PROBABILITY) ? 3.5 : 1)
    const position = alongLine(line, toMetres(hub.at)) + random.normal() * spread
    if (position < 0 || position > line.length_m) return undefined
    const leftSide = random.chance(0.5)
    const off = random.between(...ROAD_OFFSET_M) * (leftSide ? 1 : -1)
    const at: Metres = [
      line.from[0] + line.along[0] * position - line.along[1] * off,
      line.from[1] + line.along[1] * position + line.along[0] * off,
    ]
    const [lng, lat] = toDegrees(city.center, at)
    if (!isPointInPolygon([lng, lat], boundary)) return undefined
    const cross = crossStreet(lines, line, at)
    const corner = cross !== undefined && random.chance(0.12)
    const street = corner ? `${line.name} & ${cross}` : `${houseNumber(line, position, leftSide)} ${line.name}`
    return {
      ...{ lng, lat, cross, street: line.name },
      ...{ hood: hub.name, near: hub.near, park: hub.park },
      address: `${street}, ${city.name}, ${city.state}`,
    }
  }

  return (random) => {
    for (let attempt = 0; attempt < 1000; attempt++) {
      const spot = tryOnce(random)
      if (spot) return spot
    }
    throw new Error(`No street of ${city.name} is inside its boundary`)
  }
}

function createLinePicker(lines: readonly Line[], hub: Hub, at: Metres): (random: Random) => Line {
  const nearness = (line: Line) => Math.exp(-((distanceTo(line, at) / hub.spread_m) ** 2))
  const passing = lines.filter((line) => distanceTo(line, at) < hub.spread_m * 1.5)
  if (passing.length < 2) throw new Error(`Fewer than two streets pass through ${hub.name}`)
  return weightedPicker(passing, nearness)
}

const alongLine = ({ from, along }: Line, at: Metres): number => (at[0] - from[0]) * along[0] + (at[1] - from[1]) * along[1]

function distanceTo(line: Line, at: Metres): number {
  const position = Math.min(Math.max(alongLine(line, at), 0), line.length_m)
  return Math.hypot(line.from[0] + line.along[0] * position - at[0], line.from[1] + line.along[1] * position - at[1])
}

function crossStreet(lines: readonly Line[], of: Line, at: Metres): string | undefined {
  let nearest: string | undefined
  let within = CROSS_STREET_MAX_M
  for (const line of lines) {
    const sine = Math.abs(of.along[0] * line.along[1] - of.along[1] * line.along[0])
    if (line.name === of.name || sine < 0.5) continue
    const distance = distanceTo(line, at)
    if (distance < within) [nearest, within] = [line.name, distance]
  }
  return nearest
}

function houseNumber({ length_m, firstNumber, lastNumber }: Line, position_m: number, evenSide: boolean): number {
  const number = Math.round(firstNumber + ((lastNumber - firstNumber) * position_m) / length_m)
  return Math.max(number - (number % 2) + (evenSide ? 0 : 1), 1)
}

const projection =
  ([lng0, lat0]: LngLat) =>
  ([lng, lat]: LngLat): Metres => [
    (lng - lng0) * METRES_PER_DEGREE * Math.cos((lat0 * Math.PI) / 180),
    (lat - lat0) * METRES_PER_DEGREE,
  ]

/** Rounds to about ten centimetres, the precision of a phone. */
function toDegrees([lng0, lat0]: LngLat, [x, y]: Metres): [number, number] {
  const round = (degrees: number) => Math.round(degrees * 1e6) / 1e6
  const lng = lng0 + x / (METRES_PER_DEGREE * Math.cos((lat0 * Math.PI) / 180))
  return [round(lng), round(lat0 + y / METRES_PER_DEGREE)]
}
