import { boundingBox } from '../../../src/geo/shapes.ts'
import type { StreetMap } from '../../../src/geo/street-map.ts'
import { findBoundary, readBoundaries } from '../boundaries.ts'
import { cities } from '../cities/index.ts'
import { createCityStreets } from '../city-streets.ts'

/** Returns the streets of each city of the demo. */
export async function readStreetMaps(): Promise<StreetMap[]> {
  const boundaries = await readBoundaries()
  return cities.map((city) => {
    const boundary = findBoundary(boundaries, city.fips)
    return { bounds: boundingBox(boundary), ...createCityStreets(city, boundary).map }
  })
}
