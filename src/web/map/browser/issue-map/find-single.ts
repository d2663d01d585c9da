import type { Map as MapLibreMap, MapGeoJSONFeature } from 'maplibre-gl'

import { SOURCE } from '../issue-style/layers.ts'
import type { Point } from '../point-map.ts'
import { withCorners, withoutArea } from '../view.ts'
import type { PinnedIssue } from './pin-card.ts'

/* src/tiles/tile-cells.ts defines the cells: their level is the zoom of the tile plus 6, at most 16, and `cluster_zoom` is that zoom plus 2. */
const CELL_LEVELS = 4
const LEVEL_MAX = 16
/** Coordinates of a tile are rounded. */
const MARGIN = 1.05

/** Returns the issue of a cluster of one, which has no id. The cluster is at the centre of the cell that has the issue. */
export async function findSingle(
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
