import { LRUCache } from 'lru-cache'

import { text } from '../locales/texts.ts'
import { problems } from '../errors/problems.ts'
import type { RequestJson } from './geocoder-request.ts'
import type { Point } from './point.ts'

export type Geocode = (address: string) => Promise<Point>

const TIMEOUT_MS = 5_000

const noGeocoder: Geocode = () => Promise.reject(problems.invalid({ address: text('address_not_geocoded') }))

/**
 * Returns a client of a Nominatim-compatible server that caches responses for a day.
 * @throws Problem 422 for an unknown address or without a server, 503 if it fails, is too slow, redirects, returns no list or has its limit
 */
export function createGeocoder(url: string | undefined, requestJson: RequestJson, timeoutMs = TIMEOUT_MS): Geocode {
  if (url === undefined) return noGeocoder
  const cache = new LRUCache<string, Point>({ max: 10_000, ttl: 24 * 3_600_000 })
  return async (address) => {
    const key = address.trim().toLowerCase()
    const point = cache.get(key) ?? (await requestPoint(url, address, requestJson, timeoutMs))
    cache.set(key, point)
    return point
  }
}

async function requestPoint(url: string, address: string, requestJson: RequestJson, timeoutMs: number): Promise<Point> {
  const parameters = new URLSearchParams({ q: address, format: 'jsonv2', limit: '1' })
  const places = await requestJson(`${url}/search?${parameters}`, timeoutMs)
  if (!Array.isArray(places)) throw problems.geocoderUnavailable()
  if (places.length === 0) throw problems.invalid({ address: text('address_not_found') })
  const point = parsePoint(places[0])
  if (!point) throw problems.geocoderUnavailable()
  return point
}

/** Returns the point of a result of Nominatim. */
export function parsePoint(place: unknown): Point | undefined {
  const { lon, lat } = (place ?? {}) as { lat?: unknown; lon?: unknown }
  const point = { lng: parseDegrees(lon), lat: parseDegrees(lat) }
  return Math.abs(point.lng) <= 180 && Math.abs(point.lat) <= 90 ? point : undefined
}

/** Nominatim encodes numbers as strings. Number() would convert null and blank strings to 0. */
function parseDegrees(value: unknown): number {
  const isNumeric = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
  return isNumeric ? Number(value) : NaN
}
