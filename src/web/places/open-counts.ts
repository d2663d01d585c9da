import { LRUCache } from 'lru-cache'

import type { Queryable } from '../../database/database.ts'
import { countOpenIssues } from '../../issues/list/count.ts'
import type { PlaceRow } from '../../places/queries.ts'

/** Counting many issues is slow, so counts of 100 and more are cached for a minute. */
const CACHED_COUNT_MIN = 100
const CACHE_MS = 60_000
const CACHE_SIZE_MAX = 10_000

export type OpenCounts = (places: readonly PlaceRow[]) => Promise<ReadonlyMap<number, number>>

export function createOpenCounts(db: Queryable): OpenCounts {
  const cache = new LRUCache<number, number>({ max: CACHE_SIZE_MAX, ttl: CACHE_MS })
  return async (places) => {
    const cached = new Map(
      places.flatMap(({ id }): [number, number][] => {
        const count = cache.get(id)
        return count === undefined ? [] : [[id, count]]
      }),
    )
    const counted = await countOpenIssues(
      db,
      places.filter(({ id }) => !cached.has(id)),
    )
    for (const [id, count] of counted) if (count >= CACHED_COUNT_MIN) cache.set(id, count)
    return new Map([...cached, ...counted])
  }
}
