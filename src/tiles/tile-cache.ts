import { LRUCache } from 'lru-cache'

import type { TileVersion } from './tile-version.ts'

export interface CachedTile {
  readonly version: TileVersion
  /** Hash of the body. */
  readonly hash: string
  readonly body: Buffer
}

/** A cache of this size has about 1,000 tiles of a city, or 30,000 tiles without issues. */
const BYTES_MAX = 32_000_000
const ENTRY_BYTES = 500

/** Tiles for anonymous callers, by URL. A tile is sent only if its version is current. */
export const createTileCache = () =>
  new LRUCache<string, CachedTile>({
    maxSize: BYTES_MAX,
    sizeCalculation: ({ body, version }, url) => body.length + 2 * (version.length + url.length) + ENTRY_BYTES,
  })
