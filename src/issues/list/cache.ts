import { LRUCache } from 'lru-cache'

import type { ShownIds } from './etag-dependencies.ts'

/** A page of a list as an anonymous caller got it. */
export interface StoredPage {
  readonly etag: string
  /** Whose names the ETag depends on. */
  readonly shown: ShownIds
  /** As of when the page was read; null where that could not be told. */
  readonly lastModified: string | null
  readonly body: string
}

export type PageCache = LRUCache<string, StoredPage>

/** About 250 pages of 20 issues. */
const BYTES_MAX = 16_000_000

/**
 * The pages that anonymous callers asked for lately, by their address. The cache is exact: a page is only ever sent after its ETag was made again from the
 * version of the list (etag.ts), so what is here may be old but is never sent while it is.
 */
export const pageCache = (): PageCache =>
  new LRUCache({
    maxSize: BYTES_MAX,
    // A text with one character that is not of Latin-1 takes two bytes for each of them.
    sizeCalculation: ({ body }, address) => 2 * (body.length + address.length) + 500,
  })
