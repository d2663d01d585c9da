import type * as MapLibre from 'maplibre-gl'

import type { Corner, Drawn } from './polygon.ts'

/** Pixels that an arrow key moves a corner. */
const STEP = 10
const steps: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
}

interface CornerEvents {
  readonly label: string
  readonly onMove: (index: number, corner: Corner) => void
  readonly onRemove: (index: number) => void
  /** The corner with the focus or under the pointer was chosen. */
  readonly onSelect: (index: number) => void
}

/** The corners as buttons on the map: they are dragged, moved by arrow keys, and deleted by the key Delete. */
export function createCornerMarkers(maplibre: typeof MapLibre, map: MapLibre.Map, events: CornerEvents) {
  let markers: MapLibre.Marker[] = []

  function createMarker(index: number): MapLibre.Marker {
    const element = Object.assign(document.createElement('button'), { type: 'button', className: 'map-corner' })
    element.dataset['corner'] = String(index)
    const marker = new maplibre.Marker({ element, draggable: true })
    const move = () => events.onMove(index, toCorner(marker.getLngLat()))
    marker.on('drag', move)
    element.addEventListener('click', (event) => {
      event.stopPropagation()
      events.onSelect(index)
    })
    element.addEventListener('focus', () => events.onSelect(index))
    element.addEventListener('keydown', (event) => {
      const step = steps[event.key]
      if (!step && event.key !== 'Delete' && event.key !== 'Backspace') return
      event.preventDefault()
      event.stopPropagation()
      if (!step) return events.onRemove(index)
      const { x, y } = map.project(marker.getLngLat())
      marker.setLngLat(map.unproject([x + step[0], y + step[1]]))
      move()
    })
    return marker
  }

  return {
    show({ corners, isClosed }: Drawn, selected: number | undefined): void {
      if (markers.length > corners.length) {
        for (const marker of markers.slice(corners.length)) marker.remove()
        markers = markers.slice(0, corners.length)
      }
      for (const [index, { lng, lat }] of corners.entries()) {
        const known = markers[index]
        const marker = known ?? createMarker(index)
        marker.setLngLat([lng, lat])
        if (!known) markers.push(marker.addTo(map))
        const element = marker.getElement()
        const label = events.label.replace('{number}', String(index + 1)).replace('{count}', String(corners.length))
        element.setAttribute('aria-label', label)
        element.toggleAttribute('data-first', index === 0 && !isClosed)
        element.toggleAttribute('data-selected', index === selected)
      }
    },
  }
}

export const toCorner = (lngLat: MapLibre.LngLat): Corner => {
  const { lng, lat } = lngLat.wrap()
  return { lng, lat }
}
