import { bboxClip } from '@turf/bbox-clip'
import type { LineString, Polygon, Position } from 'geojson'

import { hasDemoStreets, type StreetSources } from '../../basemap/has-streets.ts'
import type { Box } from '../../geo/box.ts'
import type { StreetLine, StreetMap } from '../../geo/street-map.ts'

/* The demo has invented streets, from which its addresses are made. Maps without a base map of the operator show them. */

/** A street, or a park or water as a ring or as a wide line. Positions are lng, lat. */
export interface StreetFeature {
  readonly kind: 'park' | 'water' | 'side' | 'main'
  readonly name?: string
  readonly isRing: boolean
  readonly width_m?: number
  readonly positions: readonly Position[]
}

const mapsIn = async ({ readStreetMaps }: StreetSources, box: Box): Promise<readonly StreetMap[]> =>
  ((await readStreetMaps?.()) ?? []).filter(
    ({ bounds }) => bounds.west <= box.east && bounds.east >= box.west && bounds.south <= box.north && bounds.north >= box.south,
  )

/** Returns the parks and the water in a box, clipped to it. */
export async function listGround(sources: StreetSources, box: Box): Promise<StreetFeature[]> {
  return (await mapsIn(sources, box)).flatMap(({ openSpaces }) =>
    openSpaces.flatMap((space) =>
      'ring' in space
        ? clip({ kind: space.kind, isRing: true, positions: [...space.ring, ...space.ring.slice(0, 1)].map(toPosition) }, box)
        : clip({ kind: space.kind, isRing: false, width_m: space.width_m, positions: space.line.map(toPosition) }, box),
    ),
  )
}

/** Returns the streets in a box, clipped to it, the main streets last. */
export async function listStreets(sources: StreetSources, box: Box, hasSideStreets: boolean): Promise<StreetFeature[]> {
  const draw =
    (kind: 'side' | 'main') =>
    ({ name, positions }: StreetLine) =>
      clip({ kind, name, isRing: false, positions: positions.map(toPosition) }, box)
  return (await mapsIn(sources, box)).flatMap(({ mainStreets, sideStreetsIn }) => [
    ...(hasSideStreets ? sideStreetsIn(box).flatMap(draw('side')) : []),
    ...mainStreets.flatMap(draw('main')),
  ])
}

/** A drawn map shows side streets if a pixel has at most so many metres. */
const SIDE_STREETS_PIXEL_M = 8
const MAIN_STREETS_PIXEL_M = 40
/** A side street has a position at each crossing, but it bends by less than a pixel between some of them. */
const CROSSINGS = 4
const METRES_PER_DEGREE = 111_195

/** Returns what a drawn map of the box shows. `pixels` is its width. The list is empty without the demo and for large boxes. */
export async function readStreets(sources: StreetSources, box: Box, pixels: number): Promise<StreetFeature[]> {
  const pixel_m = ((box.north - box.south) * METRES_PER_DEGREE) / pixels
  if (box.west > box.east || pixel_m > MAIN_STREETS_PIXEL_M || !(await hasDemoStreets(sources))) return []
  const features = [...(await listGround(sources, box)), ...(await listStreets(sources, box, pixel_m <= SIDE_STREETS_PIXEL_M))]
  return features.map((feature) => {
    if (feature.kind !== 'side') return feature
    const last = feature.positions.length - 1
    return { ...feature, positions: feature.positions.filter((_, index) => index % CROSSINGS === 0 || index === last) }
  })
}

const toPosition = ([lng, lat]: readonly [number, number]): Position => [lng, lat]

function clip(feature: StreetFeature, { west, south, east, north }: Box): StreetFeature[] {
  const box = [west, south, east, north] as const
  const positions = [...feature.positions]
  const shape: Polygon | LineString = feature.isRing
    ? { type: 'Polygon', coordinates: [positions] }
    : { type: 'LineString', coordinates: positions }
  const { geometry } = bboxClip(shape, [...box])
  const parts = geometry.type === 'LineString' ? [geometry.coordinates] : (geometry.coordinates as Position[][])
  return parts.filter(({ length }) => length > 1).map((part) => ({ ...feature, positions: part }))
}
