import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Language } from '../../locales/texts.ts'
import type { FoundAddress } from '../../geo/address-search.ts'
import type { Box } from '../../geo/box.ts'
import type { Point } from '../../geo/point.ts'
import { ipAddressKey } from '../../http/auth/login.ts'
import { isRefusal } from '../../http/rate-limit/rate-limit.ts'
import type { Services } from '../../services.ts'
import { findKnownAddresses, hasKnownAddresses } from './known-addresses.ts'

export const ADDRESS_WORDS_MAX = 200

/** The state of a search for an address. */
export type AddressResults =
  | { readonly found: readonly FoundAddress[] }
  | { readonly failure: 'searchFailed' | 'searchLimited' | 'searchTooLong' }

export interface SearchedAddress {
  readonly words: string
  readonly results: AddressResults | undefined
}

export type AddressLookup = ReturnType<typeof createAddressLookup>

export type AddressSources = Pick<Services, 'addresses' | 'config' | 'db' | 'readStreetMaps' | 'readNamedStreets'>

/**
 * Searches addresses for the map and for the pages of a report: with the geocoder, or without one among those that the service knows.
 * Requests of a client to the geocoder have the rate limit of the API.
 */
export function createAddressLookup(services: AddressSources) {
  const { addresses, db } = services
  /** Returns false over the limit. */
  async function count(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    try {
      await reply.countRequest(`geocoder:${ipAddressKey(request)}`)
      return true
    } catch (error) {
      if (isRefusal(error)) return false
      throw error
    }
  }

  const canSearch = async () => addresses !== undefined || (await hasKnownAddresses(services))

  return {
    canSearch,

    /** Returns undefined if there are no addresses. An error is part of the page, because the map works without addresses. */
    async search(
      request: FastifyRequest,
      reply: FastifyReply,
      { words, near, language }: { words: string; near: Box | undefined; language: Language },
    ): Promise<SearchedAddress | undefined> {
      if (!(await canSearch())) return undefined
      if (words === '') return { words, results: undefined }
      const fail = (status: number, failure: Extract<AddressResults, { failure: string }>['failure']) => {
        void reply.code(status)
        return { words, results: { failure } }
      }
      if (words.length > ADDRESS_WORDS_MAX) return fail(422, 'searchTooLong')
      if (!addresses) return { words, results: { found: await findKnownAddresses(db.reader, services, { words, near }) } }
      if (!(await count(request, reply))) return fail(429, 'searchLimited')
      const found = await addresses.search(words, { language, near })
      return found ? { words, results: { found } } : fail(503, 'searchFailed')
    },

    /** Returns undefined for an unknown address, and over the limit. */
    async reverse(request: FastifyRequest, reply: FastifyReply, point: Point, language: Language): Promise<string | undefined> {
      if (!addresses || !(await count(request, reply))) return undefined
      return addresses.reverse(point, language)
    },
  }
}
