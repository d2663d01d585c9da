import type * as MapLibre from 'maplibre-gl'

import type { MapConfig } from '../config.ts'
import { withBox } from '../view.ts'

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
 * Follows the changes of the issues in a view of the map while the page can be seen: a hidden page leaves its connection to others. Returns a function
 * that selects the view and the filters.
 * @param onChanges receives all changes of a second; none if some may be missing
 */
export function followChanges(path: string, onChanges: (changes: readonly Change[]) => void) {
  let query: URLSearchParams | undefined
  let cursor = ''
  let stream: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let changes: Change[] = []

  const show = () => {
    timer = undefined
    onChanges(changes)
    changes = []
  }
  const open = () => {
    stream?.close()
    if (document.hidden || !query) return
    if (cursor !== '') query.set('since', cursor)
    stream = new EventSource(`${path}?${query.toString()}`)
    stream.addEventListener('change', ({ data, lastEventId }: MessageEvent<string>) => {
      cursor = lastEventId
      changes.push(JSON.parse(data) as Change)
      timer ??= setTimeout(show, PAUSE_MS)
    })
    stream.addEventListener('reset', ({ lastEventId }: MessageEvent<string>) => {
      cursor = lastEventId
      show()
    })
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
    query = withBox(parameters, bounds)
    query.set('fields[issue]', 'lng,lat')
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
