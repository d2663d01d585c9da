import type { Scheme, toOfflineStyle } from './offline-style.ts'
import { STREET_ZOOMS } from './street-tiles.ts'

/** It changes when tiles with the same address change. */
export const STREETS_VERSION = '1'

const palettes = {
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
  const colours = palettes[scheme]
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
