import { area } from '@turf/area'
import { centerOfMass } from '@turf/center-of-mass'
import type { Feature, FeatureCollection, Geometry, Polygon } from 'geojson'

import type { Language } from '../../locales/texts.ts'

/** Countries, and states of one, which have the name of their atlas. */
export interface Regions {
  readonly countries: FeatureCollection<Geometry, { name: string }>
  readonly states: FeatureCollection<Geometry, { name: string }>
}

/** Returns the names of countries in the language and those of states, each at the middle of its largest part. */
export function toRegionNames({ countries, states }: Regions, language: Language): Feature[] {
  const regionNames = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' })
  const countryName = (id: string, name: string) => {
    const code = toCountryCode(id)
    return (code === undefined ? undefined : regionNames.of(code)) ?? name
  }
  return [...toLabels(countries, 'country', countryName), ...toLabels(states, 'state', (_id, name) => name)]
}

/** @param id the number of ISO 3166-1, which disputed territories do not have */
const toCountryCode = (id: string) => (id === '' ? undefined : new Intl.Locale(`und-${id}`).region)

function toLabels({ features }: Regions['countries'], kind: string, toName: (id: string, name: string) => string): Feature[] {
  const labels = features.flatMap(({ id, geometry, properties }): Feature[] => {
    if (geometry.type !== 'Polygon' && geometry.type !== 'MultiPolygon') return []
    const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates
    const [largest] = polygons.map(([ring = []]) => toPart(ring)).sort((a, b) => b.km2 - a.km2)
    if (!largest) return []
    return [
      {
        type: 'Feature',
        geometry: centerOfMass(largest.polygon).geometry,
        properties: { kind, name: toName(String(id ?? ''), properties.name), rank: -Math.round(largest.km2) },
      },
    ]
  })
  // The atlas has remote islands of a country apart.
  const byName = Map.groupBy(labels, ({ properties }) => properties?.['name'] as string)
  return [...byName.values()].flatMap((same) => same.sort(byRank).slice(0, 1))
}

const byRank = (a: Feature, b: Feature) => Number(a.properties?.['rank']) - Number(b.properties?.['rank'])

/** Some parts of the atlas have no area, because its positions are rounded. */
function toPart(ring: Polygon['coordinates'][number]) {
  const polygon: Polygon = { type: 'Polygon', coordinates: [ring] }
  return { polygon, km2: area(polygon) / 1e6 }
}
