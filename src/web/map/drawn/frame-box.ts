import { type Box, boxCentre, mercatorLatitude, mercatorY, wrapLongitude } from '../../../geo/shapes.ts'

const EQUATOR_M = 2 * Math.PI * 6_378_137

interface Frame {
  /** Part of the width and height that stays free on each side. */
  readonly padding: number
  /** The height of the map as a share of its width. */
  readonly ratio: number
  /** The map shows at least this width. */
  readonly width_m?: number
}

/** The frame of an area, which leaves room for what lies around it. */
export const AREA_FRAME: Frame = { padding: 0.15, ratio: 0.6, width_m: 1_500 }

/**
 * Returns the box of a Web Mercator map around a box, with the sides of the frame. It crosses the antimeridian if `west` is greater
 * than `east`, and is at most as wide as the world.
 */
export function frameBox(box: Box, { padding, ratio, width_m = 0 }: Frame): Box {
  const { west, south, east, north } = box
  const [top, bottom] = [mercatorY(north), mercatorY(south)]
  const inner = { width: (west > east ? east + 360 - west : east - west) / 360, height: bottom - top }
  const middle = { lng: boxCentre(box).lng, y: (top + bottom) / 2 }
  const least = width_m / (EQUATOR_M * Math.cos((mercatorLatitude(middle.y) * Math.PI) / 180))
  const width = Math.min(Math.max(Math.max(inner.width, inner.height / ratio) / (1 - 2 * padding), least), 1)
  const height = Math.min(Math.max(width * ratio, inner.height), 1)
  const y = Math.min(Math.max(middle.y, height / 2), 1 - height / 2)
  return {
    ...(width === 1
      ? { west: -180, east: 180 }
      : { west: wrapLongitude(middle.lng - width * 180), east: wrapLongitude(middle.lng + width * 180) }),
    south: mercatorLatitude(y + height / 2),
    north: mercatorLatitude(y - height / 2),
  }
}
