import type { Polygon } from 'geojson'

/* The corners of a polygon that is being drawn. */

export interface Corner {
  readonly lng: number
  readonly lat: number
}

export interface Drawn {
  readonly corners: readonly Corner[]
  /** A closed polygon takes new corners on its edges only. */
  readonly isClosed: boolean
}

export const EMPTY: Drawn = { corners: [], isClosed: false }
const CORNERS_MIN = 3
/** More corners are not legible. */
const CORNERS_MAX = 200
const DECIMALS = 6

export const isComplete = ({ corners }: Drawn) => corners.length >= CORNERS_MIN

export const addCorner = ({ corners }: Drawn, corner: Corner): Drawn => ({ corners: [...corners, corner], isClosed: false })

export const close = (drawn: Drawn): Drawn => ({ ...drawn, isClosed: isComplete(drawn) })

/** Opens a closed polygon, or removes its last corner. */
export const undo = ({ corners, isClosed }: Drawn): Drawn => ({
  corners: isClosed ? corners : corners.slice(0, -1),
  isClosed: false,
})

export const moveCorner = ({ corners, isClosed }: Drawn, index: number, corner: Corner): Drawn => ({
  corners: corners.with(index, corner),
  isClosed,
})

export function removeCorner({ corners, isClosed }: Drawn, index: number): Drawn {
  const left = corners.toSpliced(index, 1)
  return { corners: left, isClosed: isClosed && left.length >= CORNERS_MIN }
}

export const insertCorner = ({ corners, isClosed }: Drawn, index: number, corner: Corner): Drawn => ({
  corners: corners.toSpliced(index, 0, corner),
  isClosed,
})

/** Returns undefined if there are too few corners. */
export function toPolygon(drawn: Drawn): Polygon | undefined {
  if (!isComplete(drawn)) return undefined
  const ring = drawn.corners.map(({ lng, lat }) => [round(lng), round(lat)])
  return { type: 'Polygon', coordinates: [[...ring, ring[0] as number[]]] }
}

const round = (degrees: number) => Number(degrees.toFixed(DECIMALS))

/** Returns undefined for what cannot be edited corner by corner: several parts, holes, or too many corners. */
export function fromGeoJson(json: string): Drawn | undefined {
  try {
    const { type, coordinates } = JSON.parse(json) as { type: string; coordinates: number[][][] | number[][][][] }
    const polygons = (type === 'MultiPolygon' ? coordinates : [coordinates]) as number[][][][]
    const ring = polygons.length === 1 && polygons[0]?.length === 1 ? polygons[0][0] : undefined
    if (!ring || ring.length > CORNERS_MAX) return undefined
    return { corners: ring.slice(0, -1).map(([lng = NaN, lat = NaN]) => ({ lng, lat })), isClosed: true }
  } catch {
    return undefined
  }
}
