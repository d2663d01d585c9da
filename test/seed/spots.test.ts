import { describe, expect, it } from 'vitest'

import { findBoundary, readBoundaries } from '../../prisma/seeds/boundaries.ts'
import { createCityStreets } from '../../prisma/seeds/city-streets.ts'
import { cities } from '../../prisma/seeds/cities/index.ts'
import { ISSUES_PER_CITY } from '../../prisma/seeds/demo/demo.ts'
import type { City } from '../../prisma/seeds/cities/city.ts'
import { createGroundLookup } from '../../prisma/seeds/open-spaces.ts'
import { distance, nearestOnSegment, projection } from '../../prisma/seeds/plane.ts'
import { createRandom } from '../../prisma/seeds/random.ts'
import { createSpotPicker, type Spot } from '../../prisma/seeds/spots.ts'

const boundaries = await readBoundaries()

function pickSpots(city: City, count: number): Spot[] {
  const pick = createSpotPicker(city, findBoundary(boundaries, city.fips))
  const random = createRandom(2026, 'spots')
  return Array.from({ length: count }, () => pick(random))
}

describe.each(cities)('spots of $name', (city) => {
  const spots = pickSpots(city, ISSUES_PER_CITY)

  it('are on or next to the street of their address, as the map has it', () => {
    const { mainStreets, sideStreetsIn } = createCityStreets(city, findBoundary(boundaries, city.fips)).map
    const toMetres = projection(city.center)
    const metresToStreet = ({ lng, lat, street }: Spot) => {
      const box = { west: lng - 0.003, south: lat - 0.002, east: lng + 0.003, north: lat + 0.002 }
      const lines = [...mainStreets, ...sideStreetsIn(box)].filter(({ name }) => name === street)
      const segments = lines.flatMap(({ positions }) => positions.slice(1).map((to, index) => [positions[index]!, to] as const))
      return Math.min(...segments.map(([from, to]) => nearestOnSegment(toMetres([lng, lat]), toMetres(from), toMetres(to)).away_m))
    }

    const distances = spots.filter((_, index) => index % 10 === 0).map(metresToStreet)

    expect(Math.max(...distances)).toBeLessThan(30)
  })

  it('are never in water or in a park', () => {
    const groundAt = createGroundLookup(city)
    const toMetres = projection(city.center)

    const grounds = spots.map(({ lng, lat }) => groundAt(toMetres([lng, lat])))

    expect(grounds.filter((ground) => ground !== 'built')).toEqual([])
  })

  it('are on hundreds of streets, most of them short of issues', () => {
    const byStreet = Object.groupBy(spots, ({ street }) => street)
    const counts = Object.values(byStreet).map((list = []) => list.length)

    expect(counts.length).toBeGreaterThan(180)
    expect(Math.max(...counts)).toBeLessThan(spots.length / 15)
  })

  it('have house numbers that agree with the place: the same number on the same side of a street is the same house', () => {
    const houses = Object.groupBy(
      spots.filter(({ address }) => /^\d+ /.test(address)),
      ({ address }) => address,
    )
    const toMetres = projection(city.center)

    const apart = Object.values(houses).flatMap((list = []) =>
      list.map((spot) => distance(toMetres([spot.lng, spot.lat]), toMetres([list[0]!.lng, list[0]!.lat]))),
    )

    expect(apart.filter((metres) => metres > 60).length).toBeLessThan(spots.length / 100)
  })

  it('have house numbers that grow along the street', () => {
    const toMetres = projection(city.center)
    const numbered = spots
      .filter(({ address }) => /^\d+ /.test(address))
      .map(({ lng, lat, street, address }) => ({ street, number: Number.parseInt(address), at: toMetres([lng, lat]) }))
    const streets = Object.values(Object.groupBy(numbered, ({ street }) => street)).map((list = []) =>
      list.sort((one, other) => one.number - other.number),
    )

    const triples = streets.flatMap((list) =>
      list.slice(2).flatMap((last, index) => {
        const [first, middle] = [list[index]!, list[index + 1]!]
        return middle.number - first.number < 20 || last.number - middle.number < 20
          ? []
          : [distance(first.at, last.at) > distance(first.at, middle.at)]
      }),
    )

    expect(triples.length).toBeGreaterThan(100)
    expect(triples.filter((grows) => !grows).length).toBeLessThan(triples.length / 50)
  })

  it('are sometimes reported again at the same point', () => {
    const points = new Set(spots.map(({ lng, lat }) => `${lng} ${lat}`))

    expect(points.size).toBeLessThan(spots.length * 0.98)
    expect(points.size).toBeGreaterThan(spots.length * 0.85)
  })
})
