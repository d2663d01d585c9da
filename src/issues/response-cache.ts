import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'

import { isNotModified, setValidators, revalidateClientCopy, toEtag, type Validators } from '../http/caching/conditional.ts'

export interface CachedResponse {
  readonly etag: string
  readonly body: string
  readonly lastModified?: string | null
}

/** A cache of this size has about 250 pages of lists, or 2,000 responses with one issue. */
const BYTES_MAX = 16_000_000

/**
 * Returns a cache of responses to anonymous callers, by URL (docs/adr/0007). An entry may be outdated: it is sent only if its ETag equals the one
 * that is computed for the request.
 */
export const createResponseCache = <Cached extends CachedResponse>() =>
  new LRUCache<string, Cached>({
    maxSize: BYTES_MAX,
    // V8 stores a string in two bytes per character as soon as one character is not Latin-1.
    sizeCalculation: ({ body }, url) => 2 * (body.length + url.length) + 500,
  })

export type Revalidation = 'not-modified' | 'cached' | 'stale'

/**
 * Revalidates the stored responses (RFC 9111, 4.3): `not-modified` if the caller's copy is current, `cached` if the cached response is, `stale`
 * if neither is, so that the response must be read. Sets the validators of the current copy.
 */
export function revalidate(
  request: FastifyRequest,
  reply: FastifyReply,
  validators: Validators,
  cached: CachedResponse | undefined,
): Revalidation {
  const isCached = cached !== undefined && cached.etag === toEtag(request, validators)
  const currentValidators =
    isCached && cached.lastModified !== undefined ? { ...validators, lastModified: cached.lastModified } : validators
  if (revalidateClientCopy(request, reply, currentValidators)) return 'not-modified'
  if (!isCached) return 'stale'
  setValidators(request, reply, currentValidators)
  return isNotModified(request, reply) ? 'not-modified' : 'cached'
}
