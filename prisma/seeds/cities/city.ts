import type { Category } from '../../../src/issues/categories.ts'
import type { CityLayout, LngLat } from './layouts/layout.ts'

export type { LngLat }

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
