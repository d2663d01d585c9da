import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon'

import type { City } from './cities/city.ts'
import type { OpenSpace } from '../../src/geo/street-map.ts'
import { nearestOnSegment, projection, type Metres } from './plane.ts'

export type Ground = 'built' | 'park' | 'water'

/** Returns a function that tells what is at a point of the city. */
export function createGroundLookup({ center, layout: { openSpaces } }: City): (at: Metres) => Ground {
  const toMetres = projection(center)
  const spaces = openSpaces.map((space) => ({ kind: space.kind, covers: coverTest(space, toMetres) }))
  return (at) => {
    const kinds = spaces.filter(({ covers }) => covers(at)).map(({ kind }) => kind)
    return kinds.includes('water') ? 'water' : (kinds[0] ?? 'built')
  }
}

function coverTest(space: OpenSpace, toMetres: (at: readonly [number, number]) => Metres): (at: Metres) => boolean {
  if ('ring' in space) {
    const corners = space.ring.map((corner) => [...toMetres(corner)])
    const ring = [...corners, ...corners.slice(0, 1)]
    return (at) => booleanPointInPolygon([...at], { type: 'Polygon', coordinates: [ring] })
  }
  const line = space.line.map(toMetres)
  const segments = line.slice(1).flatMap((to, index) => {
    const from = line[index]
    return from ? [[from, to] as const] : []
  })
  return (at) => segments.some(([from, to]) => nearestOnSegment(at, from, to).away_m < space.width_m / 2)
}
