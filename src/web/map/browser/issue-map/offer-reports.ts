import type * as MapLibre from 'maplibre-gl'

import type { ReportOffer } from '../config.ts'
import { createCross } from '../cross.ts'
import { CLUSTERS, POINTS, SINGLES } from '../issue-style/layers.ts'

/** A point of a smaller map is wrong by a street, so its report starts with a closer view. */
const POINT_ZOOM_MIN = 14
const CLOSER_ZOOM = 16

/** Offers a report at an empty spot of the map: by a click, a tap, or Enter at the cross. */
export function offerReports(maplibre: typeof MapLibre, map: MapLibre.Map, container: HTMLElement, offer: ReportOffer): void {
  const link = Object.assign(document.createElement('a'), { className: 'button primary', textContent: offer.text })
  const popup = new maplibre.Popup({ className: 'report-offer', closeOnClick: false, focusAfterOpen: false }).setDOMContent(link)
  const show = (lngLat: MapLibre.LngLat) => {
    const { lat, lng } = lngLat.wrap()
    const point = { lat: lat.toFixed(6), lng: lng.toFixed(6) }
    const isExact = map.getZoom() >= POINT_ZOOM_MIN
    const parameters = new URLSearchParams(isExact ? point : { view: `${CLOSER_ZOOM}/${point.lat}/${point.lng}` })
    link.href = `${offer.path}?${parameters.toString()}`
    popup.setLngLat(lngLat).addTo(map)
  }
  map.on('click', ({ point, lngLat }) => {
    const layers = [POINTS, CLUSTERS, SINGLES].filter((layer) => map.getLayer(layer))
    if (map.queryRenderedFeatures(point, { layers }).length > 0) popup.remove()
    else show(lngLat)
  })
  container.append(createCross())
  const canvas = map.getCanvas()
  canvas.addEventListener('keydown', ({ key }) => {
    if (key !== 'Enter') return
    show(map.getCenter())
    link.focus()
  })
  container.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !popup.isOpen()) return
    popup.remove()
    canvas.focus()
  })
}
