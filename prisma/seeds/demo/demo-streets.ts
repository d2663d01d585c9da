import type { MultiPolygon } from 'geojson'

import { findBoundary, readBoundaries } from '../boundaries.ts'
import { cities } from '../cities/index.ts'
import { type CityStreets, createCityStreets } from '../city-streets.ts'

/** Returns the streets of each city of the demo. */
export async function readDemoStreets(): Promise<{ readonly streets: CityStreets; readonly boundary: MultiPolygon }[]> {
  const boundaries = await readBoundaries()
  return cities.map((city) => {
    const boundary = findBoundary(boundaries, city.fips)
    return { boundary, streets: createCityStreets(city, boundary) }
  })
}
