import type { MultiPolygon, Position } from 'geojson'

import { circumscribedRing } from '../../geo/circle.ts'
import type { Point } from '../../geo/point.ts'
import type { SafeHtml } from '../../html/template.ts'
import type { IssueDot } from '../../issues/list/map-queries.ts'
import type { WatchedArea } from '../../watch-areas/area-input.ts'
import { boxToShape } from '../../watch-areas/present.ts'
import type { Shape } from '../../watch-areas/schema.ts'
import { mapSvg } from '../map/map-svg.ts'

/** The map ends 180 degrees from its centre. Shapes are cut just before it, so that they do not jump to the other side. */
const HALF_WORLD = 179.9

export function shapeMap(
  shape: Shape,
  centre: Point,
  { label, width, dots = [], pin }: { label: string; width: number; dots?: readonly IssueDot[]; pin?: Point | undefined },
): SafeHtml {
  const polygons = (shape.type === 'Polygon' ? [shape.coordinates] : shape.coordinates) as Position[][][]
  const clampToHalfWorld = ([lng = 0, lat = 0]: Position): Position => {
    const east = lng - centre.lng
    const isFar = Math.abs(east) > HALF_WORLD && Math.abs(east) <= 360 - HALF_WORLD
    return [isFar ? centre.lng + Math.sign(east) * HALF_WORLD : lng, lat]
  }
  const outline: MultiPolygon = {
    type: 'MultiPolygon',
    coordinates: polygons.map((rings) => rings.map((ring) => ring.map(clampToHalfWorld))),
  }
  return mapSvg({ label, centre, outlines: [outline], dots, ...(pin ? { pin } : {}), width })
}

/** Returns the shape of an area that is not stored yet; undefined for a place, which has its own outline. */
export function toShape(watched: WatchedArea): Shape | undefined {
  switch (watched.kind) {
    case 'place':
      return undefined
    case 'polygon':
      return JSON.parse(watched.geojson) as Shape
    case 'circle':
      return { type: 'Polygon', coordinates: [circumscribedRing(watched.centre, watched.radius_m)] }
    case 'box':
      return boxToShape(watched.box)
  }
}
