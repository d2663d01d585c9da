import { layers, namedFlavor } from '@protomaps/basemaps'

import type { PmtilesFile } from '../../basemap/pmtiles-file.ts'
import type { Language } from '../../locales/texts.ts'
import palettes from './palettes.json' with { type: 'json' }
import { STREET_ZOOMS } from './street-tiles.ts'

/** Colours of the base map, by the colour scheme of the page (src/html/files/style.css). */
type Palette = Readonly<Record<keyof (typeof palettes)['light'], string>>
export const schemes = ['light', 'dark'] as const
export type Scheme = (typeof schemes)[number]

interface BaseMapUrls {
  readonly land: string
  readonly borders: string
  readonly names: string
  readonly places: string
}

/** Returns a MapLibre style of the own base map. Without `glyphs` MapLibre draws labels with fonts of the device. */
export function toOfflineStyle(urls: BaseMapUrls, scheme: Scheme, colours: Partial<Palette> = {}) {
  const palette = { ...palettes[scheme], ...colours }
  const geojson = (data: string, attribution?: string) => ({ type: 'geojson', data, ...(attribution ? { attribution } : {}) })
  return {
    version: 8,
    name: `Base map (${scheme})`,
    sources: {
      land: geojson(urls.land, 'Natural Earth'),
      borders: geojson(urls.borders),
      names: geojson(urls.names),
      places: geojson(urls.places),
    },
    layers: [
      { id: 'water', type: 'background', paint: { 'background-color': palette.water } },
      { id: 'land', type: 'fill', source: 'land', paint: { 'fill-color': palette.land } },
      { id: 'borders', type: 'line', source: 'borders', paint: { 'line-color': palette.border, 'line-width': 1 } },
      {
        id: 'places',
        type: 'fill',
        source: 'places',
        filter: ['==', ['geometry-type'], 'Polygon'],
        paint: { 'fill-color': palette.place },
      },
      {
        id: 'place-outlines',
        type: 'line',
        source: 'places',
        filter: ['==', ['geometry-type'], 'Polygon'],
        paint: { 'line-color': palette.outline, 'line-width': ['interpolate', ['linear'], ['zoom'], 4, 0.5, 12, 2] },
      },
      ...labelLayers(palette),
    ],
  }
}

/** Positions of a text around its point, the closest first, between the numbers of clusters. */
const positions = [0, 0.7, 1.1, 1.5, 1.9, 2.3].flatMap((distance) =>
  distance === 0
    ? ['center', [0, 0]]
    : ['bottom', [0, -distance], 'top', [0, distance], 'left', [distance, 0], 'right', [-distance, 0]],
)

/** Places that are much larger than the view are not named: a name would cover the spot of a report. */
const ZOOMS_OF_DISTRICT = 5
const ZOOMS_OF_CITY = 4

/** The last layer has priority, and in a layer the largest place. */
function labelLayers({ label, region, land }: Palette) {
  const layer = (kind: string, source: string, layout: object, zooms: object = {}, filters: readonly unknown[] = []) => ({
    id: `${kind}-labels`,
    type: 'symbol',
    source,
    filter: ['all', ['==', ['geometry-type'], 'Point'], ['==', ['get', 'kind'], kind], ...filters],
    layout: { 'text-field': ['get', 'name'], 'text-font': ['sans-serif'], 'symbol-sort-key': ['get', 'rank'], ...layout },
    paint: { 'text-color': source === 'names' ? region : label, 'text-halo-color': land, 'text-halo-width': 2 },
    ...zooms,
  })
  const byZoom = (...sizes: number[]) => ['interpolate', ['linear'], ['zoom'], ...sizes]
  const capitals = { 'text-transform': 'uppercase', 'text-letter-spacing': 0.1, 'text-max-width': 8 }
  const movable = { 'text-variable-anchor-offset': positions, 'text-padding': 0 }
  const zoomOfPlace = ['get', 'zoom']
  const isBelow = (zooms: number) => ['<', ['zoom'], ['+', zoomOfPlace, zooms]]
  return [
    layer('district', 'places', { 'text-size': 12, ...movable }, {}, [['>=', ['zoom'], zoomOfPlace], isBelow(ZOOMS_OF_DISTRICT)]),
    layer('state', 'names', { 'text-size': byZoom(3, 9, 8, 14), ...capitals }, { minzoom: 3, maxzoom: 9 }),
    layer('country', 'names', { 'text-size': byZoom(1, 10, 4, 14), ...capitals }, { minzoom: 1, maxzoom: 4 }),
    layer('city', 'places', { 'text-size': byZoom(3, 12, 12, 18), ...movable }, {}, [isBelow(ZOOMS_OF_CITY)]),
  ]
}

/** It changes when tiles with the same address change. */
export const STREETS_VERSION = '1'

const streetPalettes = {
  light: { park: '#d3e6c8', water: '#c3dbe6', side: '#ffffff', main: '#fff3cf', edge: '#a3aca6', text: '#4b5862', halo: '#ffffff' },
  dark: { park: '#2a4237', water: '#17242d', side: '#43515b', main: '#5b6157', edge: '#1c252b', text: '#c3ced6', halo: '#1c252b' },
} as const

const isKind = (kind: string) => ['==', ['get', 'kind'], kind]
const widthByZoom = (...stops: number[]) => ['interpolate', ['exponential', 1.6], ['zoom'], ...stops]
/** A river has its width in metres at each zoom. */
const groundWidth = ['interpolate', ['exponential', 2], ['zoom'], 0, ['get', 'width'], 22, ['*', ['get', 'width'], 2 ** 22]]
const round = { 'line-cap': 'round', 'line-join': 'round' }

/** Returns the style with the streets of the demo above its places and below its outlines and names. */
export function addStreets(style: ReturnType<typeof toOfflineStyle>, tiles: string, scheme: Scheme, attribution: string) {
  const colours = streetPalettes[scheme]
  const layer = (id: string, sourceLayer: string, filter: unknown, rest: object) => ({
    ...{ id, source: 'streets', 'source-layer': sourceLayer, filter },
    ...rest,
  })
  const ground = (['park', 'water'] as const).flatMap((kind) => [
    layer(kind === 'park' ? 'parks' : 'waters', 'ground', ['all', isKind(kind), ['==', ['geometry-type'], 'Polygon']], {
      type: 'fill',
      paint: { 'fill-color': colours[kind] },
    }),
    layer(kind === 'park' ? 'valleys' : 'rivers', 'ground', ['all', isKind(kind), ['==', ['geometry-type'], 'LineString']], {
      type: 'line',
      layout: round,
      paint: { 'line-color': colours[kind], 'line-width': groundWidth },
    }),
  ])
  const street = (kind: 'side' | 'main', part: 'edges' | 'streets', width: unknown) =>
    layer(`${kind}-${part}`, 'streets', isKind(kind), {
      type: 'line',
      layout: round,
      paint: { 'line-color': part === 'edges' ? colours.edge : colours[kind], 'line-width': width },
    })
  const names = (kind: 'side' | 'main', minzoom: number, size: unknown) =>
    layer(`${kind}-street-names`, 'streets', isKind(kind), {
      type: 'symbol',
      minzoom,
      layout: {
        ...{ 'symbol-placement': 'line', 'symbol-spacing': 300, 'text-field': ['get', 'name'] },
        ...{ 'text-font': ['sans-serif'], 'text-size': size, 'text-padding': 8 },
      },
      paint: { 'text-color': colours.text, 'text-halo-color': colours.halo, 'text-halo-width': 1.5 },
    })
  const streets = [
    ...ground,
    street('side', 'edges', widthByZoom(13, 1.5, 15, 5, 18, 22)),
    street('main', 'edges', widthByZoom(9, 1, 13, 4, 15, 9, 18, 34)),
    street('side', 'streets', widthByZoom(13, 0.8, 15, 3.5, 18, 20)),
    street('main', 'streets', widthByZoom(9, 0.6, 13, 3, 15, 7.5, 18, 31)),
  ]
  const below = style.layers.findIndex(({ id }) => id === 'place-outlines')
  return {
    ...style,
    sources: {
      ...style.sources,
      streets: { type: 'vector', tiles: [tiles], minzoom: STREET_ZOOMS.min, maxzoom: STREET_ZOOMS.max, attribution },
    },
    layers: [
      ...style.layers.slice(0, below),
      ...streets,
      ...style.layers.slice(below, below + 1),
      names('side', 13.2, widthByZoom(13, 10, 18, 14)),
      names('main', 13, widthByZoom(13, 10.5, 18, 15)),
      ...style.layers.slice(below + 1),
    ],
  }
}

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
