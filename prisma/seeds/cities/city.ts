import type { Category } from '../../../src/issues/categories.ts'

/** [longitude, latitude] in degrees. */
export type LngLat = readonly [lng: number, lat: number]

/** A street as one straight piece: its name, its two ends in degrees, and the house numbers there. */
export type Street = readonly [name: string, from: LngLat, to: LngLat, firstNumber: number, lastNumber: number]

/** A neighborhood where reports gather. */
export interface Hub {
  readonly name: string
  readonly at: LngLat
  /** Standard deviation of the distance of reports from here, in metres. */
  readonly spread_m: number
  readonly weight: number
  /** Stand in texts: a park of the neighborhood, and something that everybody there knows. */
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
  /** Key in us-atlas. */
  readonly fips: string
  readonly name: string
  readonly urlName: string
  /** Two letters. */
  readonly state: string
  /**
   * The county, or what counts as one: Baltimore, St. Louis and Richmond are independent cities and belong to no county, so that
   * the Census counts the city itself as one. Without `urlName` (Washington) there is no place of its own for it.
   */
  readonly county: { readonly name: string; readonly urlName?: string }
  /** The official centre of the city: that of the polygon can be in a marsh or at an airport. */
  readonly heart: LngLat
  /** Hours from UTC in winter. */
  readonly utcOffset: number
  /** Factors for the frequency of categories in this city. */
  readonly emphasis: Partial<Record<Category, number>>
  /** The first one is the heart of the city. */
  readonly hubs: readonly Hub[]
  readonly streets: readonly Street[]
  readonly agencies: readonly Agency[]
}
