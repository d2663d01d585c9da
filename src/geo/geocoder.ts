import { LRUCache } from 'lru-cache'

import { problems } from '../errors/problems.ts'
import type { Point } from './point.ts'

export type Geocode = (address: string) => Promise<Point>

const TIMEOUT_MS = 5_000
/** One place with all its names takes some kilobytes. */
const ANSWER_BYTES_MAX = 64 * 1024

/** Without a server for it, an address is refused with what to do instead. */
const noGeocoder: Geocode = () =>
  Promise.reject(problems.invalid({ address: 'is not geocoded here: geocode the address on the client and send lat and lng' }))

/**
 * Asks a Nominatim-compatible server (`/search?q=…&format=jsonv2`), and remembers its answers for a day. An address that the server
 * does not know is Problem 422; 503 where the server is away, slow, sends elsewhere, or answers anything that is no list of places.
 */
export function geocoderAt(url: string | undefined, timeoutMs = TIMEOUT_MS): Geocode {
  if (url === undefined) return noGeocoder
  const known = new LRUCache<string, Point>({ max: 10_000, ttl: 24 * 3_600_000 })
  return async (address) => {
    const key = address.trim().toLowerCase()
    const point = known.get(key) ?? (await ask(url, address, timeoutMs))
    known.set(key, point)
    return point
  }
}

async function ask(url: string, address: string, timeoutMs: number): Promise<Point> {
  const parameters = new URLSearchParams({ q: address, format: 'jsonv2', limit: '1' })
  const places = await placesAt(`${url}/search?${parameters}`, timeoutMs)
  if (!places) throw problems.geocoderAway()
  if (places.length === 0) throw problems.invalid({ address: 'was not found: send lat and lng instead' })
  const point = pointOf(places[0])
  if (!point) throw problems.geocoderAway()
  return point
}

/** The time goes for the whole answer. A redirect is an error: the operator named this server and no other. */
async function placesAt(url: string, timeoutMs: number): Promise<readonly unknown[] | undefined> {
  try {
    const response = await fetch(url, {
      headers: { 'user-agent': 'Fixpoint', accept: 'application/json' },
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error',
    })
    const text = await textOf(response)
    const places: unknown = response.ok && text !== undefined ? JSON.parse(text) : undefined
    return Array.isArray(places) ? places : undefined
  } catch {
    return undefined
  }
}

/** Undefined where the answer is too long; no more of it is read then. */
async function textOf({ body }: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    // Leaving the loop cancels the stream.
    if (bytes > ANSWER_BYTES_MAX) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function pointOf(place: unknown): Point | undefined {
  const { lon, lat: north } = (place ?? {}) as { lat?: unknown; lon?: unknown }
  const [lng, lat] = [degreesIn(lon), degreesIn(north)]
  return Math.abs(lng) <= 180 && Math.abs(lat) <= 90 ? { lng, lat } : undefined
}

/** Nominatim writes numbers as text; Number() would take null and blank for 0. */
function degreesIn(value: unknown): number {
  const isWritten = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
  return isWritten ? Number(value) : NaN
}
