import { LRUCache } from 'lru-cache'

import type { IssueFilter } from '../issues/list/filter.ts'
import type { TileAddress } from './tile-grid.ts'
import type { TileVersion } from './tile-version.ts'

export interface CachedTile {
  readonly version: TileVersion
  readonly etag: string
  readonly body: Buffer
}

/** A cache of this size has about 1,000 tiles of a city, or 30,000 tiles without issues. */
const BYTES_MAX = 32_000_000
const ENTRY_BYTES = 500

/** Tiles by `tileKey`, for all callers. A tile is sent only if its version is current. */
export const createTileCache = () =>
  new LRUCache<string, CachedTile>({
    maxSize: BYTES_MAX,
    sizeCalculation: ({ body, version }, key) => body.length + 2 * (version.length + key.length) + ENTRY_BYTES,
  })

/** Returns the same key for all URLs of a tile with the same filter. */
export const tileKey = ({ z, x, y }: TileAddress, filter: IssueFilter): string => JSON.stringify([z, x, y, filter])
