import type * as MapLibre from 'maplibre-gl'
import type { MapControls } from '../config.ts'
import type { PinCard, PinnedIssue } from './pin-card.ts'
import { CLUSTERS, POINTS, SINGLES, SOURCE } from '../issue-style/layers.ts'
import type { Point } from '../point-map.ts'
import type { Map as MapLibreMap, MapGeoJSONFeature } from 'maplibre-gl'
import { withCorners, withoutArea } from '../view.ts'

type CardIssue = PinnedIssue & { readonly point: Point }

interface PointEvents {
  readonly config: MapControls
  readonly card: PinCard
  /** Receives the issue under the pointer. */
  readonly mark: (id: number | undefined) => void
}

/** Shows the card of the pin under the pointer. A click opens its issue, a tap shows its card, and a click on a cluster zooms in. */
export function followPoints(map: MapLibre.Map, { config, card, mark }: PointEvents): void {
  const setCursor = (cursor: string) => (map.getCanvas().style.cursor = cursor)
  const hasHover = matchMedia('(hover: hover)').matches
  const open = (issue: CardIssue) => {
    // In a frame of another site, `<base target>` opens a new tab.
    if (hasHover) Object.assign(document.createElement('a'), { href: config.issue.replace('{id}', String(issue.id)) }).click()
    else {
      mark(issue.id)
      card.show(issue, true)
    }
  }
  const zoomIn = (cluster: MapLibre.MapGeoJSONFeature | undefined, { lngLat, originalEvent }: MapLibre.MapMouseEvent) => {
    const zoom = cluster?.properties['cluster_zoom'] as number | undefined
    map.easeTo({ center: lngLat, zoom: zoom ?? map.getZoom() + 2 }, { originalEvent })
  }
  map.on('click', POINTS, ({ features }) => {
    const issue = toIssue(features?.[0])
    if (issue) open(issue)
  })
  map.on('click', CLUSTERS, (event) => zoomIn(event.features?.[0], event))
  map.on('click', SINGLES, (event) => {
    const single = event.features?.[0]
    const found = single ? findSingle(map, config.pinnedIssues, single).catch(() => undefined) : Promise.resolve(undefined)
    void found.then((issue) => (issue ? open(issue) : zoomIn(single, event)))
  })
  if (!hasHover) return
  for (const layer of [POINTS, CLUSTERS, SINGLES]) {
    map.on('mousemove', layer, ({ features }) => {
      setCursor('pointer')
      const issue = toIssue(features?.[0])
      mark(issue?.id)
      card.show(issue)
    })
    map.on('mouseleave', layer, () => {
      setCursor('')
      mark(undefined)
      card.show(undefined)
    })
  }
}

function toIssue(feature: MapLibre.MapGeoJSONFeature | undefined): CardIssue | undefined {
  const { id, status } = (feature?.properties ?? {}) as { id?: number; status?: string }
  if (id === undefined || status === undefined || feature?.geometry.type !== 'Point') return undefined
  const [lng = 0, lat = 0] = feature.geometry.coordinates
  return { id, status, point: { lng, lat } }
}

/** Returns a function that shows a ring around the pin or the cluster of an issue of the list. */
export function createHighlight(maplibre: typeof MapLibre, map: MapLibre.Map) {
  const ring = document.createElement('div')
  ring.className = 'map-highlight'
  const marker = new maplibre.Marker({ element: ring })
  return (issue: Point | undefined) => {
    if (issue) marker.setLngLat(nearestPin(map, issue) ?? issue).addTo(map)
    else marker.remove()
  }
}

/** Below the zoom of single issues, a pin may be this many pixels from its issue: it stands for a cell (src/tiles/tile-grid.ts). */
const SHIFT_MAX = 48

function nearestPin(map: MapLibre.Map, issue: Point): Point | undefined {
  const { x, y } = map.project(issue)
  const box = [[x - SHIFT_MAX, y - SHIFT_MAX], [x + SHIFT_MAX, y + SHIFT_MAX]] as [MapLibre.PointLike, MapLibre.PointLike] // prettier-ignore
  const layers = [POINTS, CLUSTERS, SINGLES].filter((layer) => map.getLayer(layer))
  const pins = map.queryRenderedFeatures(box, { layers }).flatMap(({ geometry }) => {
    if (geometry.type !== 'Point') return []
    const [lng = 0, lat = 0] = geometry.coordinates
    const at = map.project([lng, lat])
    return [{ point: { lng, lat }, distance: Math.hypot(at.x - x, at.y - y) }]
  })
  return pins.toSorted((a, b) => a.distance - b.distance)[0]?.point
}

/* src/tiles/tile-grid.ts defines the cells: their level is the zoom of the tile plus 6, at most 16, and `cluster_zoom` is that zoom plus 2. */
const CELL_LEVELS = 4
const LEVEL_MAX = 16
/** Coordinates of a tile are rounded. */
const MARGIN = 1.05

/** Returns the issue of a cluster of one, which has no id. The cluster is at the centre of the cell that has the issue. */
async function findSingle(
  map: MapLibreMap,
  pinnedIssues: string,
  { geometry, properties }: MapGeoJSONFeature,
): Promise<(PinnedIssue & { readonly point: Point }) | undefined> {
  if (geometry.type !== 'Point') return undefined
  const [lng = 0, lat = 0] = geometry.coordinates
  const level = Math.min((properties['cluster_zoom'] as number) + CELL_LEVELS, LEVEL_MAX)
  const half = (180 / 2 ** level) * MARGIN
  const parameters = withCorners(tileFilters(map), { west: lng - half, south: lat - half, east: lng + half, north: lat + half })
  const response = await fetch(`${pinnedIssues}?${parameters.toString()}`, { headers: { accept: 'application/json' } })
  if (!response.ok) return undefined
  const issue = (await response.json()) as PinnedIssue & Point
  return { ...issue, point: { lng: issue.lng, lat: issue.lat } }
}

function tileFilters(map: MapLibreMap): URLSearchParams {
  const source = map.getStyle().sources[SOURCE]
  return withoutArea(new URL(source?.type === 'vector' ? (source.url ?? '') : '', location.href).searchParams)
}
