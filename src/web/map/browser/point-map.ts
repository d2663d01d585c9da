import type * as MapLibre from 'maplibre-gl'

import type { Bounds, MapControls } from './config.ts'
import { createMap } from './create-map.ts'
import { coverWithDrawing, type Drawing } from './drawing.ts'
import { createCross } from './cross.ts'
import { followMoves } from './follow-moves.ts'
import { fadeIssues, showIssues } from './issue-layers.ts'

/* A map to choose a point: by a click at a desk, under the cross on a phone, or by keyboard. */

export interface Point {
  readonly lat: number
  readonly lng: number
}

export interface PointMap {
  /** True if the point is chosen under the cross. */
  readonly isByCross: boolean
  choose(point: Point): void
  /** Shows the spot under the cross closer, until it can be chosen. */
  approach(): void
}

interface PointMapOptions {
  readonly config: MapControls & { readonly tileJson: string; readonly bounds: Bounds; readonly drawing: Drawing }
  /** The first view, if it is not that of the place. */
  readonly start: { readonly point: Point; readonly zoom: number } | undefined
  /** Receives undefined if the map shows too large an area for the cross. */
  readonly onPoint: (point: Point | undefined) => void
  readonly onFailure: (hasFailed: boolean) => void
}

/** The cross covers less than 10 m of the ground from this zoom. */
const ZOOM_MIN = 14
const CHOSEN_ZOOM = 17
/** No street is seen below this zoom, so that the middle of the map is no spot. */
const FAR_ZOOM = 7
/** A tap on a smaller map shows its spot closer by so many levels. */
const APPROACH_STEP = 4

export async function createPointMap(container: HTMLElement, options: PointMapOptions): Promise<PointMap> {
  const { config, start, onPoint, onFailure } = options
  const uncover = coverWithDrawing(container, config.drawing)
  const { maplibre, map, wasMoved } = await createMap({
    container,
    config,
    bounds: config.bounds,
    padding: 40,
    isEmbedded: false,
    onFailure,
    onStyle: (map) => {
      showIssues(map, `${location.origin}${config.tileJson}`)
      fadeIssues(map)
    },
  }).catch((error: unknown) => {
    uncover()
    throw error
  })
  if (start && !wasMoved) map.jumpTo({ center: start.point, zoom: start.zoom })
  const isByCross = matchMedia('(pointer: coarse)').matches
  container.dataset['choice'] = isByCross ? 'cross' : 'click'
  container.dataset['state'] = 'loading'
  container.append(createCross())
  const markFar = () => container.toggleAttribute('data-far', map.getZoom() < FAR_ZOOM)
  map.on('zoom', markFar)
  markFar()
  const pin = createPin(maplibre)
  pin.on('dragend', () => onPoint(toPoint(pin.getLngLat())))

  const choose = (point: Point) => {
    if (!isByCross) pin.setLngLat(point).addTo(map)
    onPoint(point)
    if (isByCross || map.getZoom() < ZOOM_MIN || !map.getBounds().contains(point))
      map.easeTo({ center: point, zoom: Math.max(map.getZoom(), CHOSEN_ZOOM) })
  }
  const approach = (center: MapLibre.LngLat, originalEvent?: MouseEvent) => {
    const zoom = map.getZoom()
    const closer = zoom < ZOOM_MIN ? Math.min(zoom + APPROACH_STEP, CHOSEN_ZOOM) : zoom
    map.easeTo({ center, zoom: closer }, { originalEvent })
  }
  map.on('click', ({ lngLat, originalEvent }) => {
    if (isByCross) approach(lngLat, originalEvent)
    else choose(toPoint(lngLat))
  })
  map.getCanvas().addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    choose(toPoint(map.getCenter()))
  })

  const takeCross = () => onPoint(map.getZoom() < ZOOM_MIN ? undefined : toPoint(map.getCenter()))
  map.once('idle', () => {
    container.dataset['state'] = 'ready'
    uncover()
    // The user has come with a view, which is a choice.
    if (isByCross && start && start.zoom >= FAR_ZOOM) takeCross()
  })
  if (isByCross) followMoves({ map, wasMoved }, takeCross)
  const approachCross = () => (map.getZoom() < FAR_ZOOM ? undefined : approach(map.getCenter()))
  return { isByCross, choose, approach: approachCross }
}

const toPoint = (lngLat: MapLibre.LngLat): Point => {
  const { lng, lat } = lngLat.wrap()
  return { lng, lat }
}

function createPin(maplibre: typeof MapLibre): MapLibre.Marker {
  const element = Object.assign(document.createElement('div'), { className: 'map-pin' })
  return new maplibre.Marker({ element, anchor: 'bottom', draggable: true })
}
