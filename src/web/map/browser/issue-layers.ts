import type { FeatureCollection } from 'geojson'
import type { Map as MapLibreMap } from 'maplibre-gl'

import { drawIcon, drawCluster, statuses } from './issue-style/icons.ts'
import {
  ADDRESSES,
  CLUSTERS,
  COUNTS,
  issueLayers,
  listedIssueLayer,
  POINTS,
  SHARES,
  SINGLES,
  SOURCE,
} from './issue-style/layers.ts'

/* The issues on a map: a status has a shape as well as a colour, so that it can be recognized without colours. */

/** The zoom of the tiles that changes name. */
export const TILES_ZOOM = 14
/** The lowest label of the own base map (src/web/basemap/styles.ts). */
const LOWEST_LABELS = 'district-labels'

/** Returns a colour of the style sheet, so that the map follows the colour scheme of the page. */
export function colour(name: string): string {
  const property = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`)
  const [light = '', dark = light] = property.match(/#\w+/g) ?? []
  return matchMedia('(prefers-color-scheme: dark)').matches ? dark : light
}

function addStatusIcons(map: MapLibreMap): void {
  for (const status of statuses) {
    const id = `status-${status}`
    if (!map.hasImage(id)) map.addImage(id, drawIcon(status, colour), { pixelRatio: 2 })
  }
}

/** Adds or replaces the issues on the map. */
export function showIssues(map: MapLibreMap, tileJson: string): void {
  for (const id of [COUNTS, CLUSTERS, POINTS, ADDRESSES, SINGLES]) if (map.getLayer(id)) map.removeLayer(id)
  if (map.getSource(SOURCE)) map.removeSource(SOURCE)
  addStatusIcons(map)
  for (let step = 0; step <= SHARES; step++) {
    const id = `share-${step}`
    if (!map.hasImage(id)) map.addImage(id, drawCluster(step / SHARES, colour), { pixelRatio: 2 })
  }
  map.addSource(SOURCE, { type: 'vector', url: tileJson })
  const labels = labelsOf(map)
  const { below, above } = issueLayers({ font: findFont(map), colour, hasStreets: labels === undefined })
  for (const layer of below) map.addLayer(layer, labels)
  for (const layer of above) map.addLayer(layer)
}

/** Asks again for the tiles that show changed issues; for all tiles if it is not known which. */
export function refreshIssues(map: MapLibreMap, changes: readonly { readonly tiles?: readonly string[] }[]): void {
  if (!map.getSource(SOURCE)) return
  const isUnknown = changes.length === 0 || changes.some(({ tiles }) => !tiles) || map.getZoom() >= TILES_ZOOM + 1
  map.refreshTiles(SOURCE, isUnknown ? undefined : changes.flatMap(({ tiles = [] }) => tiles.flatMap(withCoarser)))
}

/** Returns a tile of `TILES_ZOOM` and those of all lower zooms that contain it. */
function withCoarser(tile: string): { z: number; x: number; y: number }[] {
  const [, x = 0, y = 0] = tile.split('/').map(Number)
  return Array.from({ length: TILES_ZOOM + 1 }, (_, levels) => ({ z: TILES_ZOOM - levels, x: x >> levels, y: y >> levels }))
}

/** Adds the issues that a table of the page lists. */
export function showListedIssues(map: MapLibreMap, data: FeatureCollection): void {
  addStatusIcons(map)
  map.addSource(SOURCE, { type: 'geojson', data })
  map.addLayer(listedIssueLayer)
}

/** Returns the layer below which layers of a page leave the names of the own base map legible; undefined for other base maps. */
export const labelsOf = (map: MapLibreMap) => (map.getLayer(LOWEST_LABELS) ? LOWEST_LABELS : undefined)

/** Lets other issues step back behind the pin of a page. */
export function fadePoints(map: MapLibreMap): void {
  if (map.getLayer(POINTS)) map.setPaintProperty(POINTS, 'icon-opacity', FADED_OPACITY)
}

/** Lets the issues step back behind the point of a new report. */
export function fadeIssues(map: MapLibreMap): void {
  fadePoints(map)
  for (const layer of [SINGLES, CLUSTERS]) map.setPaintProperty(layer, 'icon-opacity', FADED_OPACITY)
  // Pale numbers could not be read.
  map.setLayoutProperty(COUNTS, 'text-field', '')
}

const FADED_OPACITY = 0.35

/** Returns a font of the base map's server, or one of the device where the base map has no server of fonts. */
function findFont(map: MapLibreMap): string[] {
  const { glyphs, layers } = map.getStyle()
  const fonts = layers.flatMap((layer) => (layer.type === 'symbol' ? [layer.layout?.['text-font']] : []))
  const font = fonts.find((font): font is string[] => Array.isArray(font) && font.length > 0 && font.every(isFontName))
  return (glyphs === undefined ? undefined : font) ?? ['sans-serif']
}

/** An expression begins with an operator in lower case, such as `step`. */
const isFontName = (name: unknown) => typeof name === 'string' && /^[A-Z]/.test(name)
