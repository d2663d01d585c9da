import type * as MapLibre from 'maplibre-gl'

import type { Bounds, MapControls } from './config.ts'
import { SOURCE } from './issue-style/layers.ts'

/* Creates a map with the base map of the server, and with the own one if that cannot be loaded. */

export interface CreatedMap {
  readonly maplibre: typeof MapLibre
  readonly map: MapLibre.Map
}

interface MapOptions {
  readonly container: HTMLElement
  readonly config: MapControls
  readonly bounds: Bounds
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

export async function createMap({
  container,
  config,
  bounds,
  padding,
  isEmbedded,
  onStyle,
  onFailure,
}: MapOptions): Promise<CreatedMap> {
  // The name is a variable because the file exists only on the server.
  const path = './maplibre-gl.mjs'
  const maplibre = (await import(path)) as typeof MapLibre
  container.replaceChildren()
  const styleUrl = createStyleUrl(config)
  const map = new maplibre.Map({
    container,
    style: styleUrl(false),
    locale: config.controlTexts,
    bounds: [...bounds],
    fitBoundsOptions: { padding },
    // Without a fixed ratio the map follows a window that is moved to another screen.
    ...(devicePixelRatio > PIXEL_RATIO_MAX ? { pixelRatio: PIXEL_RATIO_MAX } : {}),
    attributionControl: { compact: true },
    cooperativeGestures: isEmbedded,
    dragRotate: false,
    pitchWithRotate: false,
    touchPitch: false,
    // The map works under every name of this server, such as localhost.
    transformRequest: (url) => ({
      url: url.startsWith('/') ? `${location.origin}${url}` : replaceOrigin(url, config.publicOrigin),
    }),
  })
  map.touchZoomRotate.disableRotation()
  map.addControl(new maplibre.NavigationControl({ showCompass: false }), 'top-right')
  // Issues do not wait for the tiles of the base map.
  map.on('style.load', () => onStyle(map))
  let isOwn = !config.canFallBack
  const useOwn = () => {
    isOwn = true
    map.setStyle(styleUrl(true), { diff: false })
  }
  darkScheme.addEventListener('change', () => map.setStyle(styleUrl(isOwn), { diff: false }))
  followFailures(map, { canFallBack: () => !isOwn, useOwn, onFailure })
  return { maplibre, map }
}

interface FailureEvents {
  readonly canFallBack: () => boolean
  readonly useOwn: () => void
  readonly onFailure: MapOptions['onFailure']
}

const replaceOrigin = (url: string, origin: string) =>
  url.startsWith(`${origin}/`) ? `${location.origin}${url.slice(origin.length)}` : url

/** A base map that fails in the first view is replaced; later failures may be those of single tiles. */
function followFailures(map: MapLibre.Map, { canFallBack, useOwn, onFailure }: FailureEvents): void {
  let hasStyle = false
  let isFirstView = true
  let isFailing = false
  map.once('style.load', () => (hasStyle = true))
  map.on('movestart', () => (isFailing = false))
  map.on('error', ({ sourceId }: MapLibre.ErrorEvent & { readonly sourceId?: string }) => {
    const isBaseMap = sourceId === undefined ? !hasStyle : sourceId !== SOURCE
    if (isBaseMap && isFirstView && canFallBack()) return useOwn()
    isFailing = true
    onFailure?.(true)
  })
  map.on('idle', () => {
    isFirstView = false
    onFailure?.(isFailing)
  })
}

const darkScheme = matchMedia('(prefers-color-scheme: dark)')

function createStyleUrl({ baseStyle }: MapControls) {
  return (isOwn: boolean): string => {
    const url = new URL(baseStyle, location.origin)
    url.searchParams.set('scheme', darkScheme.matches ? 'dark' : 'light')
    if (isOwn) url.searchParams.set('own', 'true')
    return url.href
  }
}
