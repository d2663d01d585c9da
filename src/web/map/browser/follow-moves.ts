import type { CreatedMap } from './create-map.ts'

/**
 * Calls back after each move, and at once if the user has moved the map already. Before the first view is complete, only moves of the user
 * count: a new size of the window is none. A move that the page makes for the user has the event of the user as `originalEvent`, and one that the
 * history of the browser makes has `isHistory`: its address is there already.
 */
export function followMoves({ map, wasMoved }: Pick<CreatedMap, 'map' | 'wasMoved'>, onMove: () => void): void {
  let isComplete = false
  map.once('idle', () => (isComplete = true))
  map.on('moveend', (event) => {
    if ('isHistory' in event) return
    if (isComplete || event.originalEvent || 'geolocateSource' in event) onMove()
  })
  if (wasMoved) onMove()
}
