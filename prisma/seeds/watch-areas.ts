import type { MultiPolygon } from 'geojson'

/** A watch area of the demo's resident. docs/demo.md lists the tokens. */
export interface DemoWatchArea {
  readonly token: string
  readonly name: string
  readonly about: 'new' | 'all'
  readonly area: MultiPolygon
}

export const watchAreas: readonly DemoWatchArea[] = [
  { token: 'demo-watch-denver-downtown', name: 'Downtown Denver', about: 'all', area: box(-105.007, 39.737, -104.98, 39.76) },
  { token: 'demo-watch-san-francisco-mission', name: 'The Mission', about: 'new', area: box(-122.427, 37.747, -122.406, 37.77) },
  { token: 'demo-watch-washington-dupont', name: 'Around Dupont Circle', about: 'all', area: box(-77.05, 38.903, -77.035, 38.918) },
]

function box(west: number, south: number, east: number, north: number): MultiPolygon {
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ]
  return { type: 'MultiPolygon', coordinates: [[ring]] }
}
