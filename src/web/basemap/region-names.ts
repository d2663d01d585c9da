import type { Feature, FeatureCollection, Geometry, Polygon, Position } from 'geojson'

import type { Language } from '../../errors/texts/languages.ts'

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
    const [largest] = polygons.map(([ring = []]) => toMiddle(ring)).sort((a, b) => b.area - a.area)
    if (!largest) return []
    return [
      {
        type: 'Feature',
        geometry: { type: 'Point', coordinates: largest.middle },
        properties: { kind, name: toName(String(id ?? ''), properties.name), rank: -Math.round(largest.area) },
      },
    ]
  })
  // The atlas has remote islands of a country apart.
  const byName = Map.groupBy(labels, ({ properties }) => properties?.['name'] as string)
  return [...byName.values()].flatMap((same) => same.sort(byRank).slice(0, 1))
}

const byRank = (a: Feature, b: Feature) => Number(a.properties?.['rank']) - Number(b.properties?.['rank'])

/** Returns the centroid of a ring, and its area in square degrees at the equator. */
function toMiddle(ring: Polygon['coordinates'][number]): { readonly middle: Position; readonly area: number } {
  let [twiceArea, lngSum, latSum] = [0, 0, 0]
  ring.forEach(([lng = 0, lat = 0], index) => {
    const [nextLng = lng, nextLat = lat] = ring[index + 1] ?? []
    const cross = lng * nextLat - nextLng * lat
    twiceArea += cross
    lngSum += (lng + nextLng) * cross
    latSum += (lat + nextLat) * cross
  })
  const [lng, lat] = [lngSum / (3 * twiceArea), latSum / (3 * twiceArea)]
  return { middle: [lng, lat], area: Math.abs(twiceArea / 2) * Math.cos((lat * Math.PI) / 180) }
}
