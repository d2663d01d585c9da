import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon'
import type { MultiPolygon } from 'geojson'

import type { StreetLine, StreetMap } from '../../src/geo/street-map.ts'
import type { City, LngLat } from './cities/city.ts'
import { listNeighborhoods, type Neighborhood } from './neighborhoods.ts'
import { createGroundLookup } from './open-spaces.ts'
import { bend, distance, nearestOnSegment, projection, toDegrees, type Metres } from './plane.ts'
import { createStreetGrid, type StreetGrid } from './street-grid.ts'
import type { MainStreet } from './street-position.ts'

/** The invented streets of a city, from which its addresses and its map are made. Only the map is bent. */
export interface CityStreets {
  readonly grid: StreetGrid
  readonly mainStreets: readonly MainStreet[]
  nearestHub(at: Metres): Neighborhood
  /** Returns whether a point is in the city, and neither in water nor in a park. */
  isBuiltAt(point: LngLat): boolean
  readonly map: Omit<StreetMap, 'bounds'>
}

/** A side street that is nearer to a main street of about its direction would be the same street twice. */
const PARALLEL_M = 50
const PARALLEL_COSINE = 0.8
/** A bent street differs by less than half a metre from its chords of this length. */
const BEND_STEP_M = 120

export function createCityStreets(city: City, boundary: MultiPolygon): CityStreets {
  const toMetres = projection(city.center)
  const hubs = listNeighborhoods(city)
  const [centre] = hubs
  if (!centre) throw new Error(`${city.name} has no neighborhoods`)
  const groundAt = createGroundLookup(city)
  const mainStreets = city.streets.map(([name, from, to, firstNumber, lastNumber]): MainStreet => {
    const [start, end] = [toMetres(from), toMetres(to)]
    const length_m = distance(start, end)
    const along: Metres = [(end[0] - start[0]) / length_m, (end[1] - start[1]) / length_m]
    return { name, from: start, to: end, length_m, along, firstNumber, lastNumber }
  })
  // A tile asks for thousands of points.
  const nearestHub = ([x, y]: Metres): Neighborhood => {
    let best = centre
    let least = Infinity
    for (const hub of hubs) {
      const squared = (hub.middle[0] - x) ** 2 + (hub.middle[1] - y) ** 2
      if (squared < least) [best, least] = [hub, squared]
    }
    return best
  }
  const isBuiltAt = (point: LngLat) => groundAt(toMetres(point)) === 'built' && booleanPointInPolygon([...point], boundary)
  const isMainStreet = (at: Metres, along: Metres) =>
    mainStreets.some(
      (street) =>
        Math.abs(street.along[0] * along[0] + street.along[1] * along[1]) > PARALLEL_COSINE &&
        nearestOnSegment(at, street.from, street.to).away_m < PARALLEL_M,
    )
  const grid = createStreetGrid(
    city,
    listSamples(boundary.coordinates.flat(2).map(([lng = 0, lat = 0]) => toMetres([lng, lat])))
      .filter((at) => booleanPointInPolygon(toDegrees(city.center, at), boundary))
      .map((at) => ({ at, bearing: nearestHub(at).bearing })),
    (middle, along, bearing) =>
      nearestHub(middle).bearing === bearing && !isMainStreet(middle, along) && isBuiltAt(toDegrees(city.center, bend(middle))),
  )
  const draw = (name: string, positions: readonly Metres[]): StreetLine => ({
    name,
    positions: positions.map((at) => toDegrees(city.center, bend(at))),
  })
  return {
    ...{ grid, mainStreets, nearestHub, isBuiltAt },
    map: {
      label: `${city.name}, ${city.state}`,
      // The rectangle of a large park, such as an airport, may be mostly outside.
      openSpaces: city.layout.openSpaces.filter(
        (space) =>
          !('ring' in space) ||
          space.kind === 'water' ||
          space.ring.every((corner) => booleanPointInPolygon([...corner], boundary)),
      ),
      mainStreets: mainStreets.map(({ name, from, along, length_m }) => {
        const steps = Math.ceil(length_m / BEND_STEP_M)
        const positions = Array.from({ length: steps + 1 }, (_, n): Metres => {
          const along_m = (n / steps) * length_m
          return [from[0] + along[0] * along_m, from[1] + along[1] * along_m]
        })
        return draw(name, positions)
      }),
      findSideStreets: (accepts) => grid.linesNamed(accepts).map(({ name, positions }) => draw(name, positions)),
      sideStreetsIn({ west, south, east, north }) {
        const corners = [west, east].flatMap((lng) => [south, north].map((lat) => toMetres([lng, lat])))
        return grid.linesIn(corners).map(({ name, positions }) => draw(name, positions))
      },
    },
  }
}

const SAMPLE_M = 400

/** Returns the points of a lattice over the region of the positions. */
function listSamples(positions: readonly Metres[]): Metres[] {
  const steps = ([from, to]: readonly [number, number]) =>
    Array.from({ length: Math.ceil((to - from) / SAMPLE_M) + 1 }, (_, n) => from + n * SAMPLE_M)
  const range = (all: readonly number[]): [number, number] => [Math.min(...all), Math.max(...all)]
  const ys = steps(range(positions.map(([, y]) => y)))
  return steps(range(positions.map(([x]) => x))).flatMap((x) => ys.map((y): Metres => [x, y]))
}
