import type * as MapLibre from 'maplibre-gl'

import type { Bounds, FirstView, MapControls } from './config.ts'
import { followFailures } from './failures/follow-failures.ts'

/* Creates a map with the base map of the server, and with the own one if that cannot be loaded. */

export interface CreatedMap {
  readonly maplibre: typeof MapLibre
  readonly map: MapLibre.Map
  /** True if the user has moved the map before its style was there. */
  readonly wasMoved: boolean
}

interface MapOptions {
  readonly container: HTMLElement
  readonly config: MapControls
  readonly bounds: Bounds
  /** The first view, instead of the bounds. */
  readonly view?: FirstView
  /** Pixels around the bounds. */
  readonly padding: number
  /** True for a map in a page that scrolls: it moves with two fingers, or with the wheel and a key. */
  readonly isEmbedded: boolean
  /** Adds the layers of the page. A style removes those of an earlier one. */
  readonly onStyle: (map: MapLibre.Map) => void
  /** Receives true when a style, a source or a tile has failed, and false when all of a later view were loaded. */
  readonly onFailure?: (hasFailed: boolean) => void
}

/** MapLibre is loaded only where it can draw. */
export function hasWebGl(): boolean {
  return document.createElement('canvas').getContext('webgl2') !== null
}

/** More pixels are hardly visible, but they double the work of a phone. */
const PIXEL_RATIO_MAX = 2

/** @throws if the browser cannot load the library, its worker or a style */
export async function createMap({
  container,
  config,
  bounds,
  view,
  padding,
  isEmbedded,
  onStyle,
  onFailure,
}: MapOptions): Promise<CreatedMap> {
  // The name is a variable because the file exists only on the server.
  const path = './maplibre-gl.mjs'
  const [maplibre] = await Promise.all([import(path) as Promise<typeof MapLibre>, fetchWorker()])
  // The library would add its version to the address, and the browser would load the file twice.
  maplibre.setWorkerUrl(workerUrl)
  const cover = container.querySelector('.map-cover')
  container.replaceChildren()
  const styleUrl = createStyleUrl(config)
  const map = new maplibre.Map({
    container,
    style: styleUrl(false),
    locale: config.controlTexts,
    ...(view ?? { bounds: [...bounds], fitBoundsOptions: { padding: padAround(padding) } }),
    // Without a fixed ratio the map follows a window that is moved to another screen.
    ...(devicePixelRatio > PIXEL_RATIO_MAX ? { pixelRatio: PIXEL_RATIO_MAX } : {}),
    attributionControl: { compact: true },
    // Names and pins of a map with reduced motion appear at once.
    ...(matchMedia('(prefers-reduced-motion: reduce)').matches ? { fadeDuration: 0 } : {}),
    cooperativeGestures: isEmbedded,
    dragRotate: false,
    pitchWithRotate: false,
    touchPitch: false,
    // The map works under every name of this server, such as localhost.
    transformRequest: (url) => ({
      url: url.startsWith('/') ? `${location.origin}${url}` : replaceOrigin(url, config.publicOrigin),
    }),
  })
  let wasMoved = false
  const noteMove = (event: MapLibre.MapLibreEvent<unknown>) => (wasMoved ||= event.originalEvent !== undefined)
  map.on('moveend', noteMove)
  // MapLibre begins with an empty container.
  if (cover) container.append(cover)
  map.touchZoomRotate.disableRotation()
  map.addControl(new maplibre.NavigationControl({ showCompass: false }), 'top-right')
  // Issues do not wait for the tiles of the base map.
  map.on('style.load', () => onStyle(map))
  let isOwn = !config.canFallBack
  const loadStyle = () => map.setStyle(styleUrl(isOwn), { diff: false })
  const useOwn = () => {
    isOwn = true
    loadStyle()
  }
  const hasStyle = await new Promise<boolean>((resolve) => {
    map.once('style.load', () => resolve(true))
    followFailures(map, { canFallBack: () => !isOwn, useOwn, reloadStyle: loadStyle, onNoStyle: () => resolve(false), onFailure })
  })
  if (!hasStyle) {
    map.remove()
    throw new Error('The style of the map could not be loaded.')
  }
  darkScheme.addEventListener('change', loadStyle)
  map.off('moveend', noteMove)
  return { maplibre, map, wasMoved }
}

/** The attribution takes two lines at the lower edge of a phone, which would cover the south of a place. */
const ATTRIBUTION_PX = 40

/** Returns the padding around bounds to show, with room for the attribution; none for a view. */
export const padAround = (padding: number): MapLibre.PaddingOptions => {
  const bottom = padding === 0 ? 0 : padding + ATTRIBUTION_PX
  return { top: padding, right: padding, bottom, left: padding }
}

const workerUrl = new URL('./maplibre-gl-worker.mjs', import.meta.url).href

/** The library draws nothing without its worker, and may report this after the page has its map. */
async function fetchWorker(): Promise<void> {
  const response = await fetch(workerUrl)
  if (!response.ok) throw new Error('The worker of the map could not be loaded.')
  // The worker takes the file from the store of the browser, once it is complete.
  await response.arrayBuffer()
}

const replaceOrigin = (url: string, origin: string) =>
  url.startsWith(`${origin}/`) ? `${location.origin}${url.slice(origin.length)}` : url

const darkScheme = matchMedia('(prefers-color-scheme: dark)')

function createStyleUrl({ baseStyle }: MapControls) {
  return (isOwn: boolean): string => {
    const url = new URL(baseStyle, location.origin)
    url.searchParams.set('scheme', darkScheme.matches ? 'dark' : 'light')
    if (isOwn) url.searchParams.set('own', 'true')
    return url.href
  }
}
