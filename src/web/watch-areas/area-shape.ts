import { circumscribedPolygon } from '../../geo/circle.ts'
import type { WatchedArea } from '../../watch-areas/area-input.ts'
import { boxToShape } from '../../watch-areas/present.ts'
import type { Shape } from '../../watch-areas/schema.ts'

/** Returns the shape of an area that is not stored yet; undefined for a place, which has its own outline. */
export function toShape(watched: WatchedArea): Shape | undefined {
  switch (watched.kind) {
    case 'place':
      return undefined
    case 'polygon':
      return JSON.parse(watched.geojson) as Shape
    case 'circle':
      return circumscribedPolygon(watched.centre, watched.radius_m)
    case 'box':
      return boxToShape(watched.box)
  }
}
