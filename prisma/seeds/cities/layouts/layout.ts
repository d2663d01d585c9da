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

/** An area without houses: a polygon, or a river or valley around a line. */
export type OpenSpace =
  | { readonly kind: 'park' | 'water'; readonly ring: readonly LngLat[] }
  | { readonly kind: 'park' | 'water'; readonly line: readonly LngLat[]; readonly width_m: number }

export const list = (text: string): string[] => text.split(',').map((name) => name.trim())

/** @param positions pairs of longitude and latitude, separated by commas as in WKT */
export const polygon = (kind: OpenSpace['kind'], positions: string): OpenSpace => ({ kind, ring: toPositions(positions) })

export const line = (kind: OpenSpace['kind'], width_m: number, positions: string): OpenSpace => ({
  ...{ kind, width_m, line: toPositions(positions) },
})

/** @param corners south-west and north-east */
export function rectangle(kind: OpenSpace['kind'], corners: string): OpenSpace {
  const [[west, south] = [0, 0], [east, north] = [0, 0]] = toPositions(corners)
  return polygon(kind, `${west} ${south}, ${east} ${south}, ${east} ${north}, ${west} ${north}`)
}

const toPositions = (text: string): LngLat[] =>
  list(text).map((position) => {
    const [lng = 0, lat = 0] = position.split(' ').map(Number)
    return [lng, lat]
  })
