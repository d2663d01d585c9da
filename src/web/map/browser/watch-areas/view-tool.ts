import { withBox } from '../view.ts'
import { showFeature } from './draw-layers.ts'
import type { DrawContext, Tool } from './tool.ts'

/** Takes the box that the map shows. A place or a box that is chosen already stays until then. */
export function createViewTool({ map, config: { shape, texts }, fields, say }: DrawContext): Tool {
  const show = () => {
    const { place_url, min_lat, min_lng, max_lat, max_lng } = fields.values
    const [west, south, east, north] = [min_lng, min_lat, max_lng, max_lat].map(Number) as [number, number, number, number]
    if (place_url !== undefined) {
      showFeature(map, shape)
      return say(texts.place)
    }
    if (min_lat === undefined) {
      showFeature(map, undefined)
      return say(texts.viewReady)
    }
    const right = west > east ? east + 360 : east
    const ring = [
      [west, south],
      [right, south],
      [right, north],
      [west, north],
      [west, south],
    ]
    showFeature(map, { type: 'Polygon', coordinates: [ring] })
    say(texts.view)
  }
  const take = () => {
    fields.set(Object.fromEntries(withBox(new URLSearchParams(), map.getBounds())))
    show()
  }
  return {
    start: show,
    show,
    leave: () => undefined,
    click: () => undefined,
    act(name) {
      if (name === 'view') take()
    },
  }
}
