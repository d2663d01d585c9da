import type * as MapLibre from 'maplibre-gl'

import { CLUSTERS, POINTS, SINGLES } from './issue-layers.ts'

/** Opens the issue of a clicked point, zooms to a clicked cluster, and calls back with the issue under the pointer. */
export function followPoints(map: MapLibre.Map, issuePath: string, mark: (id: number | undefined) => void): void {
  const setCursor = (cursor: string) => (map.getCanvas().style.cursor = cursor)
  map.on('click', POINTS, ({ features }) => {
    const id = features?.[0]?.properties['id'] as number | undefined
    if (id !== undefined) location.href = issuePath.replace('{id}', String(id))
  })
  for (const layer of [CLUSTERS, SINGLES]) {
    map.on('click', layer, ({ features, lngLat }) => {
      const zoom = features?.[0]?.properties['cluster_zoom'] as number | undefined
      map.easeTo({ center: lngLat, zoom: zoom ?? map.getZoom() + 2 })
    })
  }
  for (const layer of [POINTS, CLUSTERS, SINGLES]) {
    map.on('mousemove', layer, ({ features }) => {
      setCursor('pointer')
      mark(features?.[0]?.properties['id'] as number | undefined)
    })
    map.on('mouseleave', layer, () => {
      setCursor('')
      mark(undefined)
    })
  }
}

/** Returns a function that shows a ring around an issue of the list, also where the map has only its cluster. */
export function createHighlight(maplibre: typeof MapLibre, map: MapLibre.Map) {
  const ring = document.createElement('div')
  ring.className = 'map-highlight'
  const marker = new maplibre.Marker({ element: ring })
  return (issue: { readonly lng: number; readonly lat: number } | undefined) => {
    if (issue) marker.setLngLat([issue.lng, issue.lat]).addTo(map)
    else marker.remove()
  }
}
