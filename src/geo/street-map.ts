import type { Box } from './shapes.ts'

type LngLat = readonly [lng: number, lat: number]

/** The streets of a city without a base map of the operator: those that the demo invents. */
export interface StreetMap {
  /** The end of an address, such as `Denver, CO`. */
  readonly label: string
  /** The box contains the city. */
  readonly bounds: Box
  readonly mainStreets: readonly StreetLine[]
  /** Returns the side streets in a box, which may go on outside of it. */
  sideStreetsIn(box: Box): readonly StreetLine[]
  /** Returns the side streets with a name that the function accepts; a prefix such as `N` is not part of it. */
  findSideStreets(accepts: (name: string) => boolean): readonly StreetLine[]
  readonly openSpaces: readonly OpenSpace[]
}

export interface StreetLine {
  readonly name: string
  readonly positions: readonly LngLat[]
}

/** A park or water: a polygon, or a river or valley around a line. */
export type OpenSpace =
  | { readonly kind: 'park' | 'water'; readonly ring: readonly LngLat[] }
  | { readonly kind: 'park' | 'water'; readonly line: readonly LngLat[]; readonly width_m: number }
