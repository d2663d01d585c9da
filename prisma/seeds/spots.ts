import type { MultiPolygon } from 'geojson'

import type { City } from './cities/city.ts'
import { smoothNoise } from './noise.ts'
import { listNeighborhoods, type Neighborhood } from './neighborhoods.ts'
import { bend, toDegrees, type Metres } from './plane.ts'
import { weightedPicker, type Random } from './random.ts'
import { createCityStreets } from './city-streets.ts'
import { locate, nearestMainStreet, type StreetPosition } from './street-position.ts'

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

/** Some problems are reported again. */
const REPEAT_PROBABILITY = 0.04
/** Reports between the neighborhoods and out to the edge of the city. */
const FAR_PROBABILITY = 0.22
const FAR_SPREAD_M = 1_700
const MAIN_STREET_PROBABILITY = 0.3
const MAIN_STREET_WITHIN_M = 160
/** The number of reports differs from one group of blocks to the next, and from street to street. */
const PATCH_M = 420

/** Returns a function that picks spots at houses and corners, more of them near the hubs, all inside the boundary. */
export function createSpotPicker(city: City, boundary: MultiPolygon): (random: Random) => Spot {
  const hubs = listNeighborhoods(city)
  const chooseHub = weightedPicker(hubs, ({ weight }) => weight)
  const { grid, mainStreets, nearestHub, isBuiltAt } = createCityStreets(city, boundary)

  const pickPoint = (random: Random): Metres => {
    const isFar = random.chance(FAR_PROBABILITY)
    const { middle, spread_m } = isFar ? random.pick(hubs) : chooseHub(random)
    const distance_m = isFar ? FAR_SPREAD_M : spread_m * (random.chance(0.3) ? 1.8 : 0.75)
    return [middle[0] + random.normal() * distance_m, middle[1] + random.normal() * distance_m]
  }

  const pickStreet = (random: Random, at: Metres, { bearing }: Neighborhood): StreetPosition | undefined => {
    const main = random.chance(MAIN_STREET_PROBABILITY) ? nearestMainStreet(mainStreets, at, MAIN_STREET_WITHIN_M) : undefined
    if (main) return main
    const isNorthSouthNearer = grid.distanceTo(at, bearing, 0) < grid.distanceTo(at, bearing, 1)
    const position = grid.nearestLot(at, bearing, isNorthSouthNearer === random.chance(0.85) ? 0 : 1)
    return position && random.chance(position.popularity) ? position : undefined
  }

  const tryOnce = (random: Random): Spot | undefined => {
    const point = pickPoint(random)
    if (!random.chance(0.12 + 0.88 * smoothNoise(point[0] / PATCH_M, point[1] / PATCH_M, city.hubs.length) ** 1.4)) return undefined
    const hub = nearestHub(point)
    const position = pickStreet(random, point, hub)
    if (!position) return undefined
    const { at, number } = locate(random, position)
    const [lng, lat] = toDegrees(city.center, bend(at))
    if (!isBuiltAt([lng, lat])) return undefined
    const { street, cross } = position
    const line = number === undefined ? `${street} & ${cross}` : `${number} ${street}`
    return {
      ...{ lng, lat, street, cross },
      ...{ hood: hub.name, near: hub.near, park: hub.park },
      address: `${line}, ${city.name}, ${city.state}`,
    }
  }

  const earlier: Spot[] = []
  return (random) => {
    if (earlier.length > 0 && random.chance(REPEAT_PROBABILITY)) return random.pick(earlier)
    for (let attempt = 0; attempt < 5000; attempt++) {
      const spot = tryOnce(random)
      if (!spot) continue
      earlier.push(spot)
      return spot
    }
    throw new Error(`No street of ${city.name} is inside its boundary`)
  }
}
