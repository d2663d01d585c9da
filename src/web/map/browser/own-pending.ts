import type * as MapLibre from 'maplibre-gl'

/** Draws the reports of the user that wait for a review. The list of the page has their links, so pins are for pointers only. */
export function showOwnPending(maplibre: typeof MapLibre, map: MapLibre.Map): void {
  for (const entry of document.querySelectorAll<HTMLElement>('#own-pending [data-issue]')) {
    const link = entry.querySelector('a')
    if (!link) continue
    const pin = Object.assign(document.createElement('a'), {
      href: link.href,
      className: 'map-pending',
      title: link.textContent,
      tabIndex: -1,
    })
    const { lng, lat } = entry.dataset
    new maplibre.Marker({ element: pin }).setLngLat([Number(lng), Number(lat)]).addTo(map)
    // MapLibre sets a role, a name and a place in the order of the Tab key.
    pin.tabIndex = -1
    pin.setAttribute('aria-hidden', 'true')
  }
}
