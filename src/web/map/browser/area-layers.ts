import type { Feature, FeatureCollection, Geometry } from 'geojson'
import type { GeoJSONSource, LayerSpecification, Map as MapLibreMap } from 'maplibre-gl'

import { colour, labelsOf } from './issue-layers.ts'

/* Watch areas on a map, as polygons. */

const SOURCE = 'watch-areas'
const FILL = 'watch-areas-fill'
const DOTS = 'watch-areas-dots'
const OPACITY = 0.16
const MARKED_OPACITY = 0.4

export const toFeatures = (geometries: readonly Geometry[]): FeatureCollection => ({
  type: 'FeatureCollection',
  features: geometries.map((geometry): Feature => ({ type: 'Feature', geometry, properties: {} })),
})

/** Adds the areas, or replaces them. Features with an id can be marked. */
export function showAreas(map: MapLibreMap, data: FeatureCollection): void {
  const source = map.getSource<GeoJSONSource>(SOURCE)
  if (source) {
    void source.setData(data)
    return
  }
  map.addSource(SOURCE, { type: 'geojson', data })
  const isMarked = ['boolean', ['feature-state', 'marked'], false] as const
  const layers: LayerSpecification[] = [
    {
      id: FILL,
      type: 'fill',
      source: SOURCE,
      paint: { 'fill-color': colour('accent'), 'fill-opacity': ['case', [...isMarked], MARKED_OPACITY, OPACITY] },
    },
    {
      id: 'watch-areas-line',
      type: 'line',
      source: SOURCE,
      paint: { 'line-color': colour('accent'), 'line-width': ['case', [...isMarked], 4, 2] },
    },
    {
      id: DOTS,
      type: 'circle',
      source: SOURCE,
      filter: ['==', ['geometry-type'], 'Point'],
      paint: {
        'circle-color': colour('card'),
        'circle-radius': ['case', [...isMarked], 10, 6],
        'circle-stroke-color': colour('accent'),
        'circle-stroke-width': 3,
      },
    },
  ]
  for (const layer of layers) map.addLayer(layer, labelsOf(map))
}

const markArea = (map: MapLibreMap, id: number, marked: boolean) => map.setFeatureState({ source: SOURCE, id }, { marked })

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
