import type * as MapLibre from 'maplibre-gl'

/* The map of a page without its issues: base map, controls and colour scheme. */

export interface BaseMapConfig {
  /** Path of the style of the base map, which takes `scheme`. */
  readonly baseStyle: string
  /** The map as an image, for browsers without WebGL. */
  readonly drawing: { readonly path: string; readonly text: string }
  /** West, south, east and north of the first view. */
  readonly bounds: readonly [number, number, number, number]
  /** MapLibre's texts in the language of the page. */
  readonly controlTexts: Readonly<Record<string, string>>
}

/** MapLibre is loaded only where it can draw. */
export function hasWebGl(): boolean {
  return document.createElement('canvas').getContext('webgl2') !== null
}

export async function loadMapLibre(): Promise<typeof MapLibre> {
  // The name is a variable because the file exists only on the server.
  const path = './maplibre-gl.mjs'
  return (await import(path)) as typeof MapLibre
}

export function createMap(maplibre: typeof MapLibre, container: HTMLElement, config: BaseMapConfig): MapLibre.Map {
  container.replaceChildren()
  const map = new maplibre.Map({
    container,
    style: styleUrl(config),
    locale: config.controlTexts,
    bounds: [...config.bounds],
    fitBoundsOptions: { padding: 40 },
    attributionControl: { compact: true },
    cooperativeGestures: false,
    dragRotate: false,
    pitchWithRotate: false,
    touchPitch: false,
  })
  map.touchZoomRotate.disableRotation()
  map.addControl(new maplibre.NavigationControl({ showCompass: false }), 'top-right')
  return map
}

const darkScheme = matchMedia('(prefers-color-scheme: dark)')
const styleUrl = ({ baseStyle }: BaseMapConfig) => `${location.origin}${baseStyle}?scheme=${darkScheme.matches ? 'dark' : 'light'}`

export function followColourScheme(map: MapLibre.Map, config: BaseMapConfig, onStyle: () => void): void {
  darkScheme.addEventListener('change', () => {
    map.once('style.load', onStyle)
    map.setStyle(styleUrl(config), { diff: false })
  })
}

export function showDrawing(container: HTMLElement, { drawing }: BaseMapConfig): void {
  container.replaceChildren(Object.assign(new Image(), { src: drawing.path, alt: drawing.text }))
}
