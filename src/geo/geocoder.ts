import { LRUCache } from 'lru-cache'

import { problems } from '../http/problems.ts'
import type { Point } from './point.ts'

export type Geocode = (address: string) => Promise<Point>

const TIMEOUT_MS = 5_000
const ANSWER_MAX = 64 * 1024

/** Without a server for it, an address is refused with what to do instead. */
const noGeocoder: Geocode = () =>
  Promise.reject(problems.invalid({ address: 'is not geocoded here: geocode the address on the client and send lat and lng' }))

/** Asks a Nominatim-compatible server (`/search?q=…&format=jsonv2`), and remembers its answers for a day. */
export function geocoderAt(url: string | undefined): Geocode {
  if (url === undefined) return noGeocoder
  const known = new LRUCache<string, Point>({ max: 10_000, ttl: 24 * 3_600_000 })
  return async (address) => {
    const key = address.trim().toLowerCase()
    const point = known.get(key) ?? (await ask(url, address))
    known.set(key, point)
    return point
  }
}

async function ask(url: string, address: string): Promise<Point> {
  const parameters = new URLSearchParams({ q: address, format: 'jsonv2', limit: '1' })
  let text: string
  try {
    const response = await fetch(`${url}/search?${parameters}`, {
      headers: { 'user-agent': 'Fixpoint', accept: 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'error',
    })
    if (!response.ok) throw problems.unavailable()
    text = await response.text()
  } catch {
    throw problems.unavailable()
  }
  const point = firstPoint(text)
  if (!point) throw problems.invalid({ address: 'was not found: send lat and lng instead' })
  return point
}

function firstPoint(text: string): Point | undefined {
  if (text.length > ANSWER_MAX) return undefined
  try {
    const [first] = JSON.parse(text) as { lat?: unknown; lon?: unknown }[]
    const [lng, lat] = [degreesIn(first?.lon), degreesIn(first?.lat)]
    return Math.abs(lng) <= 180 && Math.abs(lat) <= 90 ? { lng, lat } : undefined
  } catch {
    return undefined
  }
}

/** Nominatim writes numbers as text; Number() would take null and blank for 0. */
function degreesIn(value: unknown): number {
  const isWritten = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
  return isWritten ? Number(value) : NaN
}
