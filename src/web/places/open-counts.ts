import { LRUCache } from 'lru-cache'

import type { Queryable } from '../../database/database.ts'
import { countOpenIssues } from '../../issues/list/count.ts'
import type { PlaceRow } from '../../places/queries.ts'

/** To count many takes long, and nobody notices that one of thousands is new: such numbers are a minute old at most. */
const MANY = 1_000
const REMEMBER_MS = 60_000
const REMEMBER_MAX = 10_000

export type OpenCounts = (places: readonly PlaceRow[]) => Promise<ReadonlyMap<number, number>>

/** How many issues are open in each of some places, by the place's id. */
export function openCounts(db: Queryable): OpenCounts {
  const remembered = new LRUCache<number, number>({ max: REMEMBER_MAX, ttl: REMEMBER_MS })
  return async (places) => {
    const known = new Map(
      places.flatMap(({ id }): [number, number][] => {
        const count = remembered.get(id)
        return count === undefined ? [] : [[id, count]]
      }),
    )
    const counted = await countOpenIssues(
      db,
      places.filter(({ id }) => !known.has(id)),
    )
    for (const [id, count] of counted) if (count >= MANY) remembered.set(id, count)
    return new Map([...known, ...counted])
  }
}
