import type { LngLatBounds } from 'maplibre-gl'

import type { Bounds } from './config.ts'

const corners = ['min_lat', 'min_lng', 'max_lat', 'max_lng'] as const
/** The page ignores unknown parameters, but tiles and API refuse them. */
const filters = ['status', 'search', 'request_types', 'after', 'before', 'assigned', 'assigned_to_me']
/** Share of the width and height of a view. */
const TOLERANCE = 0.02

const round = (degrees: number) => String(Math.round(degrees * 1e5) / 1e5)
const wrap = (lng: number) => (Math.abs(lng) <= 180 ? lng : ((((lng + 180) % 360) + 360) % 360) - 180)

/** Returns the parameters with the box of the view as the area, as `GET /issues` takes it. */
export function withBox(parameters: URLSearchParams, bounds: LngLatBounds): URLSearchParams {
  const isWorld = bounds.getEast() - bounds.getWest() >= 360
  const [west, east] = isWorld ? [-180, 180] : [wrap(bounds.getWest()), wrap(bounds.getEast())]
  return withCorners(withoutArea(parameters), { west, south: bounds.getSouth(), east, north: bounds.getNorth() })
}

/** Returns the parameters with a box in degrees as the area. */
export function withCorners(parameters: URLSearchParams, { west, south, east, north }: Box): URLSearchParams {
  const result = new URLSearchParams(parameters)
  const box = { min_lat: Math.max(south, -90), min_lng: wrap(west), max_lat: Math.min(north, 90), max_lng: wrap(east) }
  for (const name of corners) result.set(name, round(box[name]))
  return result
}

/** Returns the box of the parameters. */
export function boxIn(parameters: URLSearchParams): Bounds | undefined {
  const [south = 0, west = 0, north = 0, east = 0] = corners.map((name) => Number(parameters.get(name)))
  return parameters.has('min_lat') ? [west, south, west > east ? east + 360 : east, north] : undefined
}

interface Box {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

/** Returns true if the box in the parameters is that of the view. A window of another size shows more. */
export function showsBox(parameters: URLSearchParams, bounds: LngLatBounds): boolean {
  const view = withBox(parameters, bounds)
  const [south = 0, west = 0, north = 0, east = 0] = corners.map((name) => Number(view.get(name)))
  const width = ((east - west + 360) % 360 || 360) * TOLERANCE
  const height = (north - south) * TOLERANCE
  return corners.every((name) => {
    const difference = Math.abs(Number(view.get(name)) - Number(parameters.get(name)))
    return name.endsWith('lat') ? difference < height : Math.min(difference, 360 - difference) < width
  })
}

/** Returns the parameters that filter issues, for the tiles. */
export function withoutArea(parameters: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...parameters].filter(([name, value]) => filters.includes(name) && value !== ''))
}
