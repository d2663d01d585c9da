import type { Feature, Geometry } from 'geojson'
import { feature } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import { type Language, languages } from '../../locales/texts.ts'
import { COUNTRIES, once, readBorders, readLand, readTopology, STATES } from './land.ts'
import { toRegionNames } from './region-names.ts'

/** About 100 m. */
const DECIMALS = 3

/** Land, borders and names of the base map as GeoJSON texts. Each is read from its package with the first call. */
export interface Atlas {
  land(): Promise<string>
  borders(): Promise<string>
  names(language: Language): Promise<string>
  /** The names of all regions in English. */
  regionNames(): Promise<ReadonlySet<string>>
}

export function createAtlas(): Atlas {
  const readNames = async (language: Language) => {
    const [countries, states] = await Promise.all([readTopology(COUNTRIES), readTopology(STATES)])
    return toRegionNames({ countries: toCollection(countries, 'countries'), states: toCollection(states, 'states') }, language)
  }
  const names = new Map(languages.map((language) => [language, once(async () => toText(await readNames(language)))]))
  return {
    land: once(async () => toText((await readLand()).map(toFeature))),
    borders: once(async () => toText((await readBorders()).map(toFeature))),
    names: async (language) => (names.get(language) ?? names.get('en'))?.() ?? '',
    regionNames: once(async () => new Set((await readNames('en')).map(({ properties }) => String(properties?.['name'])))),
  }
}

const objectOf = (topology: Topology, name: string) => topology.objects[name] as GeometryCollection<{ name: string }>

const toCollection = (topology: Topology, name: string) => feature(topology, objectOf(topology, name))

const toFeature = (geometry: Geometry): Feature => ({ type: 'Feature', properties: {}, geometry })

/** Returns a collection as JSON with rounded coordinates. */
function toText(features: readonly Feature<Geometry, unknown>[]): string {
  const factor = 10 ** DECIMALS
  return JSON.stringify({ type: 'FeatureCollection', features }, (_key, value: unknown) =>
    typeof value === 'number' ? Math.round(value * factor) / factor : value,
  )
}
