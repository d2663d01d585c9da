import type { Map as MapLibreMap } from 'maplibre-gl'

import { DOTS, FILL, markArea } from './area-layers.ts'

/** Links the areas of a map with their sections: a click opens the section, and the section under the pointer marks its area. */
export function linkAreas(map: MapLibreMap): void {
  for (const layer of [FILL, DOTS]) {
    map.on('click', layer, ({ features }) => {
      const section = document.getElementById(`area-${features?.[0]?.id}`)
      section?.scrollIntoView({ block: 'start' })
      section?.focus({ preventScroll: true })
    })
    map.on('mousemove', layer, () => (map.getCanvas().style.cursor = 'pointer'))
    map.on('mouseleave', layer, () => (map.getCanvas().style.cursor = ''))
  }
  for (const section of document.querySelectorAll<HTMLElement>('[data-area]')) {
    const id = Number(section.dataset['area'])
    for (const event of ['pointerenter', 'focusin']) section.addEventListener(event, () => markArea(map, id, true))
    for (const event of ['pointerleave', 'focusout']) section.addEventListener(event, () => markArea(map, id, false))
  }
}
