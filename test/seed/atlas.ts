import { feature } from 'topojson-client'
import type { GeometryCollection, MultiPolygon, Polygon, Topology } from 'topojson-specification'
import type { Position } from 'geojson'
import { readFileSync } from 'node:fs'

import { cities, states } from '../../prisma/seeds/cities/index.ts'

/** Returns the text of prisma/seeds/boundaries.json: the us-atlas polygons (US Census, public domain) by number, one per line. */
export function boundariesOfAtlas(): string {
  const file = new URL(import.meta.resolve('us-atlas/counties-10m.json'))
  const atlas = JSON.parse(readFileSync(file, 'utf8')) as Topology<{ counties: GeometryCollection; states: GeometryCollection }>
  const wanted = new Set([...cities, ...states].map(({ fips }) => fips))
  const lines = [...atlas.objects.counties.geometries, ...atlas.objects.states.geometries]
    .filter((geometry) => geometry.type === 'Polygon' || geometry.type === 'MultiPolygon')
    .filter(({ id }) => wanted.has(String(id)))
    .map((geometry) => `"${geometry.id}": ${JSON.stringify(partsOf(atlas, geometry))}`)
  return `{\n${lines.sort().join(',\n')}\n}\n`
}

function partsOf(atlas: Topology, geometry: Polygon | MultiPolygon): Position[][][] {
  return geometry.type === 'Polygon'
    ? [feature(atlas, geometry).geometry.coordinates]
    : feature(atlas, geometry).geometry.coordinates
}
