import type { MultiPolygon } from 'geojson'

import { weighted, type Chance } from './chance.ts'
import type { City, Hub, LngLat } from './cities/city.ts'
import { isInside } from './inside.ts'

/** A place on a street of a city, with what its people call things around it. */
export interface Spot {
  readonly lng: number
  readonly lat: number
  /** Such as "1437 Larimer St, Denver, CO". */
  readonly address: string
  readonly street: string
  /** A street that crosses nearby, where there is one. */
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

const METRES_A_DEGREE = 111_195
/** Reports are pinned to the kerb or the house, not to the middle of the road. */
const OFF_THE_MIDDLE_M = [5, 16] as const
const CROSS_WITHIN_M = 260
/** This part of the reports comes from farther out along the streets. */
const FAR_OUT = 0.18

/** Chooses spots: along the streets, denser near the hubs, all inside the boundary. */
export function spotsOf(city: City, boundary: MultiPolygon): (chance: Chance) => Spot {
  const toMetres = projection(city.heart)
  const lines = city.streets.map(([name, from, to, firstNumber, lastNumber]): Line => {
    const [start, end] = [toMetres(from), toMetres(to)]
    const length_m = Math.hypot(end[0] - start[0], end[1] - start[1])
    const along: Metres = [(end[0] - start[0]) / length_m, (end[1] - start[1]) / length_m]
    return { name, from: start, along, length_m, firstNumber, lastNumber }
  })
  const chooseHub = weighted(city.hubs, (hub) => hub.weight)
  const chooseLine = new Map(city.hubs.map((hub) => [hub, lineChooser(lines, hub, toMetres(hub.at))]))

  const tryOnce = (chance: Chance): Spot | undefined => {
    const hub = chooseHub(chance)
    const line = chooseLine.get(hub)?.(chance)
    if (!line) return undefined
    const spread = hub.spread_m * (chance.yes(FAR_OUT) ? 3.5 : 1)
    const position = alongLine(line, toMetres(hub.at)) + chance.normal() * spread
    if (position < 0 || position > line.length_m) return undefined
    const leftSide = chance.yes(0.5)
    const off = chance.between(...OFF_THE_MIDDLE_M) * (leftSide ? 1 : -1)
    const at: Metres = [
      line.from[0] + line.along[0] * position - line.along[1] * off,
      line.from[1] + line.along[1] * position + line.along[0] * off,
    ]
    const [lng, lat] = toDegrees(city.heart, at)
    if (!isInside([lng, lat], boundary)) return undefined
    const cross = crossStreet(lines, line, at)
    const corner = cross !== undefined && chance.yes(0.12)
    const street = corner ? `${line.name} & ${cross}` : `${houseNumber(line, position, leftSide)} ${line.name}`
    return {
      ...{ lng, lat, cross, street: line.name },
      ...{ hood: hub.name, near: hub.near, park: hub.park },
      address: `${street}, ${city.name}, ${city.state}`,
    }
  }

  return (chance) => {
    for (let attempt = 0; attempt < 1000; attempt++) {
      const spot = tryOnce(chance)
      if (spot) return spot
    }
    throw new Error(`No spot of ${city.name} lies inside its boundary`)
  }
}

/** The streets that pass through a neighborhood, the nearer the more often. */
function lineChooser(lines: readonly Line[], hub: Hub, at: Metres): (chance: Chance) => Line {
  const nearness = (line: Line) => Math.exp(-((distanceTo(line, at) / hub.spread_m) ** 2))
  const passing = lines.filter((line) => distanceTo(line, at) < hub.spread_m * 1.5)
  if (passing.length < 2) throw new Error(`Fewer than two streets pass through ${hub.name}`)
  return weighted(passing, nearness)
}

const alongLine = ({ from, along }: Line, at: Metres): number => (at[0] - from[0]) * along[0] + (at[1] - from[1]) * along[1]

function distanceTo(line: Line, at: Metres): number {
  const position = Math.min(Math.max(alongLine(line, at), 0), line.length_m)
  return Math.hypot(line.from[0] + line.along[0] * position - at[0], line.from[1] + line.along[1] * position - at[1])
}

/** The nearest street at an angle of more than 30 degrees. */
function crossStreet(lines: readonly Line[], of: Line, at: Metres): string | undefined {
  let nearest: string | undefined
  let within = CROSS_WITHIN_M
  for (const line of lines) {
    const sine = Math.abs(of.along[0] * line.along[1] - of.along[1] * line.along[0])
    if (line.name === of.name || sine < 0.5) continue
    const distance = distanceTo(line, at)
    if (distance < within) [nearest, within] = [line.name, distance]
  }
  return nearest
}

/** Even numbers stand on one side, odd ones on the other. */
function houseNumber({ length_m, firstNumber, lastNumber }: Line, position_m: number, evenSide: boolean): number {
  const number = Math.round(firstNumber + ((lastNumber - firstNumber) * position_m) / length_m)
  return Math.max(number - (number % 2) + (evenSide ? 0 : 1), 1)
}

const projection =
  ([lng0, lat0]: LngLat) =>
  ([lng, lat]: LngLat): Metres => [
    (lng - lng0) * METRES_A_DEGREE * Math.cos((lat0 * Math.PI) / 180),
    (lat - lat0) * METRES_A_DEGREE,
  ]

/** Rounded to about ten centimetres, as a telephone gives it. */
function toDegrees([lng0, lat0]: LngLat, [x, y]: Metres): [number, number] {
  const round = (degrees: number) => Math.round(degrees * 1e6) / 1e6
  const lng = lng0 + x / (METRES_A_DEGREE * Math.cos((lat0 * Math.PI) / 180))
  return [round(lng), round(lat0 + y / METRES_A_DEGREE)]
}
