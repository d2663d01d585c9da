import { readFileSync } from 'node:fs'

import type { OpenSpace } from '../../../src/geo/street-map.ts'
import type { City, CityLayout, LngLat, SideStreets } from './city.ts'

/** Names and positions are lists with commas, as in WKT. */
interface CityFile extends Omit<City, 'layout'> {
  readonly layout: Omit<CityLayout, 'northSouth' | 'eastWest' | 'openSpaces'> &
    Readonly<Record<'northSouth' | 'eastWest', Omit<SideStreets, 'names'> & { readonly names: string }>> & {
      readonly openSpaces: readonly OpenSpaceFile[]
    }
}

/** The corners of a rectangle are south-west and north-east. */
type OpenSpaceFile = { readonly kind: OpenSpace['kind'] } & (
  | { readonly rectangle: string }
  | { readonly polygon: string }
  | { readonly line: string; readonly width_m: number }
)

const readJson = <Json>(name: string): Json => JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), 'utf8')) as Json

function readCity(name: string): City {
  const { layout, ...city } = readJson<CityFile>(name)
  const { northSouth, eastWest, openSpaces } = layout
  const withNames = (streets: CityFile['layout']['eastWest']) => ({ ...streets, names: streets.names.split(', ') })
  return {
    ...city,
    layout: {
      ...layout,
      northSouth: withNames(northSouth),
      eastWest: withNames(eastWest),
      openSpaces: openSpaces.map(toOpenSpace),
    },
  }
}

function toOpenSpace(space: OpenSpaceFile): OpenSpace {
  const { kind } = space
  if ('line' in space) return { kind, width_m: space.width_m, line: toPositions(space.line) }
  if ('polygon' in space) return { kind, ring: toPositions(space.polygon) }
  const [[west, south] = [0, 0], [east, north] = [0, 0]] = toPositions(space.rectangle)
  return { kind, ring: toPositions(`${west} ${south}, ${east} ${south}, ${east} ${north}, ${west} ${north}`) }
}

const toPositions = (text: string): LngLat[] =>
  text.split(', ').map((position) => {
    const [lng = 0, lat = 0] = position.split(' ').map(Number)
    return [lng, lat]
  })

export const cities: readonly City[] = [
  'san-francisco',
  'denver',
  'philadelphia',
  'washington',
  'new-orleans',
  'baltimore',
  'st-louis',
  'richmond',
].map(readCity)

/** The District of Columbia has the boundary of its only city. */
export const states =
  readJson<readonly { readonly fips: string; readonly name: string; readonly urlName: string; readonly code: string }[]>('states')
