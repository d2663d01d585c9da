import { LRUCache } from 'lru-cache'

export interface StoredResponse {
  readonly etag: string
  readonly body: string
}

/** This limit is about 250 pages of 20 issues, or 2,000 issues. */
const BYTES_MAX = 16_000_000

/**
 * Creates a cache of responses for anonymous callers, by URL (docs/adr/0005). It never serves a stale response: the ETag is computed
 * again from the current version before a body is sent.
 */
export const createResponseCache = <Stored extends StoredResponse>() =>
  new LRUCache<string, Stored>({
    maxSize: BYTES_MAX,
    // V8 stores a string in two bytes per character as soon as one character is not Latin-1.
    sizeCalculation: ({ body }, address) => 2 * (body.length + address.length) + 500,
  })
