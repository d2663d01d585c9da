import type { LngLat } from './cities/city.ts'

/** East and north of the centre of the city, in metres. */
export type Metres = readonly [x: number, y: number]

const METRES_PER_DEGREE = 111_195

/** An equirectangular projection around `center`: exact enough for a city. */
export const projection =
  ([lng0, lat0]: LngLat) =>
  ([lng, lat]: LngLat): Metres => [
    (lng - lng0) * METRES_PER_DEGREE * Math.cos((lat0 * Math.PI) / 180),
    (lat - lat0) * METRES_PER_DEGREE,
  ]

/** Rounds to about ten centimetres, the precision of a phone. */
export function toDegrees([lng0, lat0]: LngLat, [x, y]: Metres): [number, number] {
  const round = (degrees: number) => Math.round(degrees * 1e6) / 1e6
  const lng = lng0 + x / (METRES_PER_DEGREE * Math.cos((lat0 * Math.PI) / 180))
  return [round(lng), round(lat0 + y / METRES_PER_DEGREE)]
}

/** Turns a point clockwise by a bearing in degrees, so that north becomes the direction of the bearing. */
export function turn([x, y]: Metres, bearing: number): Metres {
  const [sine, cosine] = [Math.sin((bearing * Math.PI) / 180), Math.cos((bearing * Math.PI) / 180)]
  return [x * cosine + y * sine, y * cosine - x * sine]
}

export const distance = ([x, y]: Metres, [x0, y0]: Metres): number => Math.hypot(x - x0, y - y0)

/** Returns the nearest position on a segment: metres from its start, and metres from the point to it. */
export function nearestOnSegment(at: Metres, from: Metres, to: Metres): { along_m: number; away_m: number } {
  const length_m = distance(from, to)
  const along: Metres = [(to[0] - from[0]) / length_m, (to[1] - from[1]) / length_m]
  const projected = (at[0] - from[0]) * along[0] + (at[1] - from[1]) * along[1]
  const along_m = Math.min(Math.max(projected, 0), length_m)
  return { along_m, away_m: distance(at, [from[0] + along[0] * along_m, from[1] + along[1] * along_m]) }
}

/** Moves points by up to 40 m, the same way for neighbours, so that long streets bend. */
export const bend = ([x, y]: Metres): Metres => [
  x + 22 * Math.sin(y / 470) + 18 * Math.sin((x + 2 * y) / 910),
  y + 20 * Math.sin(x / 530) + 16 * Math.sin((2 * x - y) / 870),
]
