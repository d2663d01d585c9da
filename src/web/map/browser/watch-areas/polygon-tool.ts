import type { Geometry } from 'geojson'
import type * as MapLibre from 'maplibre-gl'
import type { Map as MapLibreMap, PointLike } from 'maplibre-gl'

import { polygonValues } from './area-fields.ts'
import { showDrawn, showFeature } from './draw-layers.ts'
import {
  type Corner,
  type Drawn,
  addCorner,
  close,
  EMPTY,
  fromGeoJson,
  insertCorner,
  isComplete,
  moveCorner,
  removeCorner,
  toPolygon,
  undo,
} from './polygon.ts'
import type { Act, DrawContext, Tool } from './tool.ts'

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
function createCornerMarkers(maplibre: typeof MapLibre, map: MapLibre.Map, events: CornerEvents) {
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

/** A click this near to the first corner or to an edge means it. */
const NEAR_PIXELS = 14

/** Draws a polygon corner by corner, and moves and deletes the corners of a complete one. */
export function createPolygonTool({ maplibre, map, form, config: { texts }, fields, isByCross, say }: DrawContext): Tool {
  let drawn: Drawn = EMPTY
  let selected: number | undefined
  /** An area that is shown as it is. */
  let fixed: string | undefined
  const markers = createCornerMarkers(maplibre, map, {
    label: texts.corner,
    onMove: (index, corner) => change(moveCorner(drawn, index, corner)),
    onRemove: (index) => remove(index),
    onSelect: (index) => {
      if (index === 0 && !drawn.isClosed && isComplete(drawn)) return change(close(drawn))
      selected = index
      show()
    },
  })
  /** Shows a button while it can do something. The focus of a button that disappears moves to the map. */
  function offer(act: Act, isUseful: boolean): void {
    const button = form.querySelector(`[data-act=${act}]`) as HTMLButtonElement
    if (!isUseful && document.activeElement === button) map.getCanvas().focus()
    button.hidden = !isUseful
  }

  function change(next: Drawn): void {
    drawn = next
    fixed = undefined
    if (selected !== undefined && selected >= drawn.corners.length) selected = undefined
    fields.set(polygonValues(toPolygon(drawn)))
    show()
  }

  function remove(index: number | undefined): void {
    if (index === undefined) return
    change(removeCorner(drawn, index))
    map.getCanvas().focus()
  }

  function show(): void {
    if (fixed === undefined) showDrawn(map, drawn)
    else showFeature(map, JSON.parse(fixed) as Geometry)
    markers.show(drawn, selected)
    const { corners, isClosed } = drawn
    offer('add', !isClosed && fixed === undefined)
    offer('undo', corners.length > 0)
    offer('close', !isClosed && isComplete(drawn))
    offer('remove', selected !== undefined)
    offer('clear', corners.length > 0 || fixed !== undefined)
    say(describe().replace('{count}', String(corners.length)))
  }

  function describe(): string {
    if (fixed !== undefined) return texts.tooMany
    if (drawn.isClosed) return texts.closed
    if (isComplete(drawn)) return texts.closable
    if (drawn.corners.length > 0) return texts.open
    return isByCross ? texts.polygonByCross : texts.polygonByClick
  }

  const isNearFirst = (point: { x: number; y: number }) => {
    const [first] = drawn.corners
    if (!first || !isComplete(drawn)) return false
    const { x, y } = map.project([first.lng, first.lat])
    return Math.hypot(x - point.x, y - point.y) <= NEAR_PIXELS
  }

  const tool: Tool = {
    start() {
      const { area } = fields.values
      const known = area === undefined ? EMPTY : fromGeoJson(area)
      drawn = known ?? EMPTY
      fixed = known || area === undefined || !isJson(area) ? undefined : area
      selected = undefined
      show()
    },
    show,
    leave() {
      drawn = EMPTY
      selected = undefined
      markers.show(drawn, undefined)
    },
    click(lngLat, point) {
      if (fixed !== undefined) return
      if (!drawn.isClosed) return change(isNearFirst(point) ? close(drawn) : addCorner(drawn, toCorner(lngLat)))
      const index = indexOnEdge(map, drawn, point, NEAR_PIXELS)
      if (index !== undefined) change(insertCorner(drawn, index, toCorner(lngLat)))
    },
    act(name) {
      if (name === 'add') tool.click(map.getCenter(), map.project(map.getCenter()))
      if (name === 'undo') change(undo(drawn))
      if (name === 'close') change(close(drawn))
      if (name === 'clear') change(EMPTY)
      if (name === 'remove') remove(selected)
    },
  }
  return tool
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

/** Returns the index for a new corner on the edge that is nearest to a pixel, or undefined if none is that near. */
function indexOnEdge(map: MapLibreMap, { corners }: Drawn, point: PointLike & { x: number; y: number }, pixelsMax: number) {
  const pixels = corners.map(({ lng, lat }) => map.project([lng, lat]))
  const distances = pixels.map((from, index) => {
    const to = pixels[(index + 1) % pixels.length] ?? from
    const [dx, dy] = [to.x - from.x, to.y - from.y]
    const length2 = dx ** 2 + dy ** 2
    const along = length2 === 0 ? 0 : Math.min(1, Math.max(0, ((point.x - from.x) * dx + (point.y - from.y) * dy) / length2))
    return Math.hypot(point.x - from.x - along * dx, point.y - from.y - along * dy)
  })
  const least = Math.min(...distances)
  return least <= pixelsMax ? distances.indexOf(least) + 1 : undefined
}
