import type * as MapLibre from 'maplibre-gl'

import type { MapConfig } from '../config.ts'
import { withBox, withoutArea } from '../view.ts'

interface Change {
  readonly id: number
  readonly kind: 'created' | 'changed' | 'gone'
  readonly issue: { readonly lng: number; readonly lat: number } | null
}

/** Changes that follow each other are shown together. */
const PAUSE_MS = 1_000
/** The page asks once a minute if it gets no stream. */
const RETRY_MS = 60_000
/** The time of the animation of `map-new` (src/html/style/map-page.css). */
const NEW_MS = 3_000

/**
 * Follows the changes of the issues around a view of the map while the page can be seen: a hidden page leaves its connection to others. Returns a function
 * that selects the view and the filters. A view in the surroundings of the last one keeps its stream.
 * @param onChanges receives all changes of a second; none if some may be missing
 */
export function followChanges(maplibre: typeof MapLibre, path: string, onChanges: (changes: readonly Change[]) => void) {
  let watched: { readonly filters: string; readonly bounds: MapLibre.LngLatBounds; readonly query: URLSearchParams } | undefined
  let cursor = ''
  let stream: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let changes: Change[] = []

  const show = () => {
    clearTimeout(timer)
    timer = undefined
    onChanges(changes)
    changes = []
  }
  const take = (type: string, onEvent: (data: string) => void) =>
    stream?.addEventListener(type, ({ data, lastEventId }: MessageEvent<string>) => {
      cursor = lastEventId
      onEvent(data)
    })
  const open = () => {
    stream?.close()
    if (document.hidden || !watched) return
    const { query } = watched
    if (cursor !== '') query.set('since', cursor)
    stream = new EventSource(`${path}?${query.toString()}`)
    take('start', () => undefined)
    take('change', (data) => {
      changes.push(JSON.parse(data) as Change)
      timer ??= setTimeout(show, PAUSE_MS)
    })
    take('reset', show)
    stream.addEventListener('error', () => {
      if (stream?.readyState === EventSource.CLOSED) setTimeout(retry, RETRY_MS, stream)
    })
  }
  const retry = (closed: EventSource) => {
    if (stream !== closed) return
    show()
    open()
  }
  document.addEventListener('visibilitychange', open)
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
    watched = { filters, bounds: around, query }
    // The new view is loaded anew, so older changes are in it.
    cursor = ''
    changes = []
    open()
  }
}

/** Says how many issues are new since the list was loaded. The list stays as it is under the finger until its reader asks for them. */
export function createNews({ texts }: MapConfig['changes'], load: () => void) {
  const news = document.getElementById('map-news')
  const ids = new Set<number>()
  return {
    add(created: readonly number[]) {
      for (const id of created) ids.add(id)
      if (!news || ids.size === 0) return
      const textContent = (ids.size === 1 ? texts['one'] : texts['other'])?.replace('%', String(ids.size)) ?? ''
      const button = Object.assign(document.createElement('button'), { type: 'button', textContent })
      button.addEventListener('click', load)
      news.replaceChildren(button)
    },
    clear() {
      ids.clear()
      news?.replaceChildren()
    },
  }
}

/** Draws a ring around a new pin, which grows and goes. */
export function growPin(maplibre: typeof MapLibre, map: MapLibre.Map, at: MapLibre.LngLatLike): void {
  const element = Object.assign(document.createElement('div'), { className: 'map-new' })
  const marker = new maplibre.Marker({ element }).setLngLat(at).addTo(map)
  setTimeout(() => marker.remove(), NEW_MS)
}
