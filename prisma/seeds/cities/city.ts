import type { OpenSpace } from '../../../src/geo/street-map.ts'
import type { Category } from '../../../src/issues/categories.ts'

/** [longitude, latitude] in degrees. */
export type LngLat = readonly [lng: number, lat: number]

/** The streets without a name in `City.streets`, and the areas without houses. */
export interface CityLayout {
  /** Direction of the streets of `northSouth` in degrees clockwise from north, from -45 to 45. */
  readonly bearing: number
  readonly hubBearings: Readonly<Record<string, number>>
  readonly northSouth: SideStreets
  readonly eastWest: SideStreets
  /** House numbers grow with the distance from here; by default from the edge of the neighborhood. */
  readonly numbersFrom?: LngLat
  /** Prefixes of the names of streets, as seen from `numbersFrom`, or NW, NE, SE or SW at their ends. */
  readonly directions?: Readonly<Record<'north' | 'south' | 'east' | 'west', string>> | 'quadrants'
  /** Neighborhoods with fewer reports than the hubs. */
  readonly neighborhoods: readonly (readonly [name: string, at: LngLat, bearing?: number])[]
  readonly openSpaces: readonly OpenSpace[]
}

export interface SideStreets {
  readonly spacing_m: number
  /** The streets follow each other in this order. A name that is used again has the next ending. */
  readonly names: readonly string[]
  readonly endings: readonly string[]
}

export type Street = readonly [name: string, from: LngLat, to: LngLat, firstNumber: number, lastNumber: number]

/** A neighborhood with many reports. */
export interface Hub {
  readonly name: string
  readonly at: LngLat
  /** Standard deviation of the distance of reports from `at`. */
  readonly spread_m: number
  readonly weight: number
  readonly park: string
  readonly near: string
}

export type RequestTypeKey =
  | 'pothole'
  | 'sidewalk'
  | 'graffiti'
  | 'dumping'
  | 'trash'
  | 'street-light'
  | 'signal'
  | 'sign'
  | 'parking'
  | 'vehicle'
  | 'snow'
  | 'leak'
  | 'drain'
  | 'tree'
  | 'pruning'
  | 'park'
  | 'playground'

export interface Agency {
  readonly name: string
  readonly handles: readonly RequestTypeKey[]
}

export interface City {
  /** FIPS code of the county, the key in boundaries.json. */
  readonly fips: string
  readonly name: string
  readonly urlName: string
  readonly state: string
  /** Independent cities (Baltimore, St. Louis, Richmond) are counties too. Without `urlName` it is no place of the demo. */
  readonly county: { readonly name: string; readonly urlName?: string }
  /** The city centre. The centroid of the polygon can be in a marsh or at an airport. */
  readonly center: LngLat
  /** Hours from UTC in winter. */
  readonly utcOffset: number
  readonly emphasis: Partial<Record<Category, number>>
  /** The first one is the city centre. */
  readonly hubs: readonly Hub[]
  /** Main streets. */
  readonly streets: readonly Street[]
  readonly layout: CityLayout
  readonly agencies: readonly Agency[]
}
