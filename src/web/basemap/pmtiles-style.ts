import { layers, namedFlavor } from '@protomaps/basemaps'
import type { Language } from '../../locales/texts.ts'
import { type BaseMapUrls, type Scheme, toOfflineStyle } from './offline-style.ts'
import type { PmtilesFile } from '../../basemap/pmtiles-file.ts'

const SOURCE = 'basemap'
/** Layers that have nothing but pictures of a sprite, which this service does not have. */
const pictureLayers = ['roads_oneway', 'roads_shields']

/**
 * Returns a style of the tiles of Protomaps over the own map of land and borders, which is visible outside the file. Without `glyphs`
 * MapLibre draws labels with fonts of the device, so no font server is needed.
 */
export function toPmtilesStyle(file: PmtilesFile, tiles: string, urls: BaseMapUrls, scheme: Scheme, language: Language) {
  const flavor = namedFlavor(scheme)
  const { sources: offlineSources, layers: offlineLayers } = toOfflineStyle(urls, scheme, {
    water: flavor.water,
    land: flavor.earth,
    border: flavor.boundaries,
  })
  const city = layers(SOURCE, flavor, { lang: language })
    .filter(({ id, type }) => type !== 'background' && !pictureLayers.includes(id))
    .map(withoutPictures)
  const isLabel = ({ type }: { readonly type: string }) => type === 'symbol'
  const below = offlineLayers
    .filter(({ id }) => ['water', 'land', 'borders'].includes(id))
    // Protomaps has a layer `water`, too.
    .map((layer) => ({ ...layer, id: `own-${layer.id}` }))
  const outlines = offlineLayers.filter(({ id }) => id === 'place-outlines')
  // The tiles have names of their own.
  const { names: _, ...sources } = offlineSources
  const { minZoom, maxZoom, bounds, attribution } = file
  return {
    version: 8,
    name: `Base map (${scheme})`,
    sources: {
      ...sources,
      [SOURCE]: { type: 'vector', tiles: [tiles], minzoom: minZoom, maxzoom: maxZoom, bounds, attribution },
    },
    layers: [...below, ...city.filter((layer) => !isLabel(layer)), ...outlines, ...city.filter(isLabel)],
  }
}

function withoutPictures(layer: ReturnType<typeof layers>[number]) {
  if (layer.type !== 'symbol') return layer
  const properties = Object.entries(layer.layout ?? {}).filter(([name]) => !name.startsWith('icon-'))
  return { ...layer, layout: { ...Object.fromEntries(properties), 'text-font': ['sans-serif'] } }
}
