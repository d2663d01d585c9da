import type * as MapLibre from 'maplibre-gl'

import { TILES_ZOOM } from '../issue-layers.ts'
import { withBox, withoutArea } from '../view.ts'
import { followChanges } from '../changes.ts'

/** The time of the animation of `map-new` (src/html/style/map-page.css). */
const NEW_MS = 3_000

/**
 * Follows the changes of the issues around a view of the map. Returns a function that selects the view and the filters. A view in the surroundings of the
 * last one keeps its stream.
 */
export function followView(maplibre: typeof MapLibre, path: string, onChanges: Parameters<typeof followChanges>[0]) {
  let watched: { readonly filters: string; readonly bounds: MapLibre.LngLatBounds } | undefined
  const select = followChanges(onChanges)
  return (parameters: URLSearchParams, bounds: MapLibre.LngLatBounds) => {
    const filters = withoutArea(parameters).toString()
    const isWatched = watched?.bounds.contains(bounds.getNorthEast()) && watched.bounds.contains(bounds.getSouthWest())
    if (isWatched && watched?.filters === filters) return
    const [x, y] = [(bounds.getEast() - bounds.getWest()) / 2, (bounds.getNorth() - bounds.getSouth()) / 2]
    const south = Math.max(bounds.getSouth() - y, -90)
    const around = new maplibre.LngLatBounds([
      [bounds.getWest() - x, south],
      [bounds.getEast() + x, Math.min(bounds.getNorth() + y, 90)],
    ])
    const query = withBox(parameters, around)
    query.set('fields[issue]', 'lng,lat')
    query.set('tiles', String(TILES_ZOOM))
    // Tiles that were shown before the last view may be out of date.
    if (watched) onChanges([])
    watched = { filters, bounds: around }
    select(`${path}?${query.toString()}`)
  }
}

/** Draws a ring around a new pin, which grows and goes. */
export function growPin(maplibre: typeof MapLibre, map: MapLibre.Map, at: MapLibre.LngLatLike): void {
  const element = Object.assign(document.createElement('div'), { className: 'map-new' })
  const marker = new maplibre.Marker({ element }).setLngLat(at).addTo(map)
  setTimeout(() => marker.remove(), NEW_MS)
}
