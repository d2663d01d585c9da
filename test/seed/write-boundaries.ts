import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon'
import type { Position } from 'geojson'
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

import { cities } from '../../prisma/seeds/cities/index.ts'
import type { LngLat } from '../../prisma/seeds/cities/city.ts'
import { readCensusPolygons, type Rings } from './census-shapefile.ts'

/** About one metre. */
const DECIMALS = 5
/** The Farallon Islands belong to San Francisco, but they are uninhabited, and a map that fits the city would show the sea. */
const ISLAND_DISTANCE_MAX_DEGREES = 0.4

/**
 * `npx node test/seed/write-boundaries.ts FOLDER/cb_2016_us_county_500k` rewrites prisma/seeds/boundaries.json. The shapefile is the
 * cartographic boundary file of the US Census Bureau (public domain); the Python package plotly-geo 1.0.0 contains it.
 */
const { positionals } = parseArgs({ allowPositionals: true })
const polygons = readCensusPolygons(positionals[0] ?? '', new Set(cities.map(({ fips }) => fips)))
const lines = cities.map(({ fips, center }) => `"${fips}": ${JSON.stringify(toCoordinates(polygons.get(fips) ?? [], center))}`)
writeFileSync(new URL('../../prisma/seeds/boundaries.json', import.meta.url), `{\n${lines.sort().join(',\n')}\n}\n`)

function toCoordinates(rings: Rings, center: LngLat): Position[][][] {
  const rounded = rings.map((ring) =>
    ring.map(([lng = 0, lat = 0]) => [Number(lng.toFixed(DECIMALS)), Number(lat.toFixed(DECIMALS))]),
  )
  const near = rounded.filter(
    ([[lng = 0, lat = 0] = []]) => Math.hypot(lng - center[0], lat - center[1]) < ISLAND_DISTANCE_MAX_DEGREES,
  )
  const holes = near.filter((ring) => !isClockwise(ring))
  const contains = (outer: Position[], [[lng = 0, lat = 0] = []]: Position[]) =>
    booleanPointInPolygon([lng, lat], { type: 'Polygon', coordinates: [outer] })
  return near
    .filter(isClockwise)
    .map((outer) => [outer, ...holes.filter((hole) => contains(outer, hole))].map((ring) => ring.reverse()))
}

function isClockwise(ring: readonly Position[]): boolean {
  const doubled = ring.map(([x = 0, y = 0], index) => {
    const [x0 = 0, y0 = 0] = ring.at(index - 1) ?? []
    return x0 * y - x * y0
  })
  return doubled.reduce((sum, part) => sum + part, 0) < 0
}
