import type { Map as MapLibreMap } from 'maplibre-gl'

/** Lets the links to a report start with the view of the map. */
export function setReportView(map: MapLibreMap): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-report]')) {
    const url = new URL(link.href)
    url.searchParams.set('view', viewOf(map))
    link.href = url.href
  }
}

/** Returns `zoom/lat/lng`, which the server reads (src/web/map/drawn/drawn-view.ts). */
export function viewOf(map: MapLibreMap): string {
  const { lat, lng } = map.getCenter().wrap()
  return [Math.min(map.getZoom(), ZOOM_MAX).toFixed(1), lat.toFixed(5), lng.toFixed(5)].join('/')
}

const ZOOM_MAX = 19
