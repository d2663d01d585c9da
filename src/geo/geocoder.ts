import { LRUCache } from 'lru-cache'
import { setTimeout } from 'node:timers/promises'

import { problems } from '../errors/problems.ts'
import { text, type Language } from '../locales/texts.ts'
import type { Point, Box } from './shapes.ts'

/** This limits a response of the geocoder; one place with all its names takes a few kilobytes. */
const RESPONSE_BYTES_MAX = 64 * 1024

type RequestJson = (url: string, timeoutMs: number) => Promise<unknown>
type Wait = (ms: number) => Promise<void>

/** Part of the timeout that a request may wait for its turn. */
const WAIT_SHARE = 0.5

/**
 * Returns `requestJson` with a limit for all callers: requests start at regular distances. One that would wait for more than half of its
 * timeout is not sent, so the queue stays short, and its result is undefined like that of a geocoder that does not answer.
 */
export function createLimitedRequest(perSecond: number, send: RequestJson = requestJson, wait: Wait = setTimeout): RequestJson {
  const distanceMs = 1_000 / perSecond
  let nextAt = 0
  return async (url, timeoutMs) => {
    const now = performance.now()
    const startAt = Math.max(nextAt, now)
    if (startAt - now > timeoutMs * WAIT_SHARE) return undefined
    nextAt = startAt + distanceMs
    if (startAt > now) await wait(startAt - now)
    return send(url, timeoutMs)
  }
}

/**
 * Returns the JSON that a geocoder answers, or undefined if it fails or is too slow. The timeout covers the whole response.
 * Redirects are errors because the operator chose this server.
 */
export async function requestJson(url: string, timeoutMs: number): Promise<unknown> {
  try {
    const response = await fetch(url, {
      headers: { 'user-agent': 'Fixpoint', accept: 'application/json' },
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error',
    })
    const body = await readText(response)
    return response.ok && body !== undefined ? (JSON.parse(body) as unknown) : undefined
  } catch {
    return undefined
  }
}

async function readText({ body }: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > RESPONSE_BYTES_MAX) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

export type Geocode = (address: string) => Promise<Point>

/**
 * Returns the point of the best result of a search.
 * @throws Problem 422 for an unknown address or without a server, 503 if it fails, is too slow, redirects, returns no list or has its limit
 */
export const createGeocoder =
  (addresses: Pick<AddressSearch, 'search'> | undefined): Geocode =>
  async (address) => {
    if (!addresses) throw problems.invalid({ address: text('address_not_geocoded') })
    const found = await addresses.search(address, { language: 'en' })
    if (!found) throw problems.geocoderUnavailable()
    const [best] = found
    if (!best) throw problems.invalid({ address: text('address_not_found') })
    return best.point
  }

/** Returns the point of a result of Nominatim. */
function parsePoint(place: unknown): Point | undefined {
  const { lon, lat } = (place ?? {}) as { lat?: unknown; lon?: unknown }
  const point = { lng: parseDegrees(lon), lat: parseDegrees(lat) }
  return Math.abs(point.lng) <= 180 && Math.abs(point.lat) <= 90 ? point : undefined
}

/** Nominatim encodes numbers as strings. Number() would convert null and blank strings to 0. */
function parseDegrees(value: unknown): number {
  const isNumeric = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
  return isNumeric ? Number(value) : NaN
}

export interface FoundAddress {
  readonly point: Point
  readonly name: string
}

export interface AddressSearch {
  /** Returns at most six addresses, those near the box first, or undefined if the geocoder does not answer or has its limit. */
  search(
    words: string,
    options: { readonly language: Language; readonly near?: Box | undefined },
  ): Promise<FoundAddress[] | undefined>
  /** Returns the address of a point, or undefined if there is none or the geocoder does not answer. */
  reverse(point: Point, language: Language): Promise<string | undefined>
}

const SEARCH_TIMEOUT_MS = 5_000
/** The form is shown without an address after this time. */
const REVERSE_TIMEOUT_MS = 2_000
const RESULTS_MAX = 6
const NAME_MAX = 300
const CACHE = { max: 10_000, ttl: 24 * 3_600_000 }
/** About 1 m. */
const POINT_DECIMALS = 5
const BUILDING_ZOOM = '18'

/** Returns a client of a Nominatim-compatible server that caches results for a day, or undefined without a server. */
export function createAddressSearch(
  url: string | undefined,
  requestJson: RequestJson,
  timeoutMs = SEARCH_TIMEOUT_MS,
): AddressSearch | undefined {
  if (url === undefined) return undefined
  const searches = new LRUCache<string, FoundAddress[]>(CACHE)
  const addresses = new LRUCache<string, string>(CACHE)
  return {
    async search(words, { language, near }) {
      const query = new URLSearchParams({
        ...{ q: words.trim(), format: 'jsonv2', limit: String(RESULTS_MAX), 'accept-language': language },
        ...(near && near.west < near.east ? { viewbox: [near.west, near.north, near.east, near.south].join() } : {}),
      }).toString()
      const cached = searches.get(query.toLowerCase())
      if (cached) return cached
      const results = await requestJson(`${url}/search?${query}`, timeoutMs)
      if (!Array.isArray(results)) return undefined
      const found = results.slice(0, RESULTS_MAX).flatMap(toFoundAddress)
      if (found.length === 0 && results.length > 0) return undefined
      searches.set(query.toLowerCase(), found)
      return found
    },

    async reverse({ lat, lng }, language) {
      const query = new URLSearchParams({
        ...{ lat: lat.toFixed(POINT_DECIMALS), lon: lng.toFixed(POINT_DECIMALS) },
        ...{ format: 'jsonv2', zoom: BUILDING_ZOOM, 'accept-language': language },
      }).toString()
      const cached = addresses.get(query)
      if (cached !== undefined) return cached
      const address = toShortAddress(await requestJson(`${url}/reverse?${query}`, REVERSE_TIMEOUT_MS))
      if (address !== undefined) addresses.set(query, address)
      return address
    },
  }
}

const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
const asText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, NAME_MAX).toWellFormed() : undefined

function toFoundAddress(result: unknown): FoundAddress[] {
  const point = parsePoint(result)
  const name = asText(asObject(result)['display_name'])
  return point && name !== undefined ? [{ point, name }] : []
}

/** Countries that write the number of a house before its street. */
const numberFirst = new Set(['au', 'ca', 'fr', 'gb', 'ie', 'in', 'lu', 'ma', 'mc', 'nz', 'us', 'za'])

/** Returns street and number with the city. Nominatim's own name also has district, county, state and country. */
function toShortAddress(result: unknown): string | undefined {
  const address = asObject(asObject(result)['address'])
  const part = (...names: readonly string[]) => names.map((name) => asText(address[name])).find((text) => text !== undefined)
  const street = part('road', 'pedestrian', 'footway', 'path', 'square', 'park')
  if (street === undefined) return asText(asObject(result)['display_name'])
  const number = part('house_number')
  const line = numberFirst.has(part('country_code') ?? '') ? [number, street] : [street, number]
  const city = part('city', 'town', 'village', 'municipality')
  return [line.filter(Boolean).join(' '), city].filter(Boolean).join(', ')
}
