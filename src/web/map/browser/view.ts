import type { LngLatBounds } from 'maplibre-gl'

const corners = ['min_lat', 'min_lng', 'max_lat', 'max_lng'] as const
const areaParameters = [...corners, 'watch_area', 'place_url', 'lat', 'lng', 'zoom', 'page', 'cursor']

const round = (degrees: number) => String(Math.round(degrees * 1e5) / 1e5)
const wrap = (lng: number) => ((((lng + 180) % 360) + 360) % 360) - 180

/** Returns the parameters with the box of the view as the area, as `GET /issues` takes it. */
export function withBox(parameters: URLSearchParams, bounds: LngLatBounds): URLSearchParams {
  const result = withoutArea(parameters)
  const isWorld = bounds.getEast() - bounds.getWest() >= 360
  const box = {
    min_lat: round(Math.max(bounds.getSouth(), -90)),
    min_lng: isWorld ? '-180' : round(wrap(bounds.getWest())),
    max_lat: round(Math.min(bounds.getNorth(), 90)),
    max_lng: isWorld ? '180' : round(wrap(bounds.getEast())),
  }
  for (const name of corners) result.set(name, box[name])
  return result
}

/** Returns the parameters that filter issues, for the tiles. */
export function withoutArea(parameters: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...parameters].filter(([name, value]) => !areaParameters.includes(name) && value !== ''))
}
