import { LRUCache } from 'lru-cache'

import type { DependencyIds } from './etag-dependencies.ts'

export interface StoredPage {
  readonly etag: string
  readonly dependencyIds: DependencyIds
  /** It is null if the list has no Last-Modified. */
  readonly lastModified: string | null
  readonly body: string
}

export type PageCache = LRUCache<string, StoredPage>

/** This limit is about 250 pages of 20 issues. */
const BYTES_MAX = 16_000_000

/**
 * Creates the cache of list pages for anonymous callers, by URL. It never serves a stale page: the ETag is computed again from the
 * version of the list (etag.ts) before a page is sent.
 */
export const createPageCache = (): PageCache =>
  new LRUCache({
    maxSize: BYTES_MAX,
    // V8 stores a string in two bytes per character as soon as one character is not Latin-1.
    sizeCalculation: ({ body }, address) => 2 * (body.length + address.length) + 500,
  })
