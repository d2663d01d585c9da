import type { Map as MapLibreMap } from 'maplibre-gl'

/** Calls back after each move. Before the first view is complete, only moves of the user count: fitting it to a place is none. */
export function followMoves(map: MapLibreMap, onMove: () => void): void {
  let isComplete = false
  map.once('idle', () => (isComplete = true))
  map.on('moveend', ({ originalEvent }) => {
    if (isComplete || originalEvent) onMove()
  })
}
