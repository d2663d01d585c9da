import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Language } from '../../locales/texts.ts'
import type { FoundAddress } from '../../geo/address-search.ts'
import type { Box } from '../../geo/box.ts'
import type { Point } from '../../geo/point.ts'
import { ipAddressKey } from '../../http/auth/login.ts'
import { isRefusal } from '../../http/rate-limit/rate-limit.ts'
import type { Services } from '../../services.ts'

export const ADDRESS_WORDS_MAX = 200

/** The state of a search for an address. */
export type AddressResults =
  | { readonly found: readonly FoundAddress[] }
  | { readonly failure: 'searchFailed' | 'searchLimited' | 'searchTooLong' }

export interface SearchedAddress {
  readonly words: string
  readonly results: AddressResults | undefined
}

/** Searches addresses for the map and for the pages of a report. Requests of a client to the geocoder have the rate limit of the API. */
export function createAddressLookup({ addresses }: Pick<Services, 'addresses'>) {
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

  return {
    /** Returns undefined without a geocoder. An error is part of the page, because the map works without addresses. */
    async search(
      request: FastifyRequest,
      reply: FastifyReply,
      { words, near, language }: { words: string; near: Box | undefined; language: Language },
    ): Promise<SearchedAddress | undefined> {
      if (!addresses) return undefined
      if (words === '') return { words, results: undefined }
      const fail = (status: number, failure: Extract<AddressResults, { failure: string }>['failure']) => {
        void reply.code(status)
        return { words, results: { failure } }
      }
      if (words.length > ADDRESS_WORDS_MAX) return fail(422, 'searchTooLong')
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
