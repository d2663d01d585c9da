import { LRUCache } from 'lru-cache'
import type { Language } from '../locales/texts.ts'
import type { Box } from './box.ts'
import { parsePoint } from './geocoder.ts'
import type { RequestJson } from './geocoder-request.ts'
import type { Point } from './point.ts'

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

const TIMEOUT_MS = 5_000
/** The form is shown without an address after this time. */
const REVERSE_TIMEOUT_MS = 2_000
const RESULTS_MAX = 6
const NAME_MAX = 300
const CACHE = { max: 10_000, ttl: 24 * 3_600_000 }
/** About 1 m. */
const POINT_DECIMALS = 5
const BUILDING_ZOOM = '18'

/** Returns a client of a Nominatim-compatible server that caches results for a day, or undefined without a server. */
export function createAddressSearch(url: string | undefined, requestJson: RequestJson): AddressSearch | undefined {
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
      const results = await requestJson(`${url}/search?${query}`, TIMEOUT_MS)
      if (!Array.isArray(results)) return undefined
      const found = results.slice(0, RESULTS_MAX).flatMap(toFoundAddress)
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
