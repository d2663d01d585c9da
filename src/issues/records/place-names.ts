import { LRUCache } from 'lru-cache'

import type { Queryable } from '../../database/database.ts'
import { findPlacesVersion } from '../../places/version.ts'
import { findPlaceUrlNames, type IssueRecord } from './queries.ts'

/** A lookup takes most of the time of a record, so a process caches the places of the points that are read again and again. */
const POINTS_MAX = 200_000

type PlaceNames = LRUCache<string, { readonly urlName: string | null }>

const createCache = (): PlaceNames => new LRUCache({ max: POINTS_MAX })

export type WithPlaceNames = ReturnType<typeof createPlaceNames>

/** Returns a function that sets `place_url_name` of records that were read without it. */
export function createPlaceNames() {
  let cached = { version: '', names: createCache() }

  return async (reader: Queryable, readRecords: () => Promise<readonly IssueRecord[]>): Promise<readonly IssueRecord[]> => {
    // The version is read before everything else, so that no newer version keeps names of older boundaries.
    const version = (await findPlacesVersion(reader)) ?? ''
    if (cached.version !== version) cached = { version, names: createCache() }
    const { names } = cached
    const records = await readRecords()
    const unknown = records.filter((record) => !names.has(toKey(record)))
    if (unknown.length > 0) {
      const found = await findPlaceUrlNames(
        reader,
        unknown.map(({ id }) => id),
      )
      for (const record of unknown) names.set(toKey(record), { urlName: found.get(record.id) ?? null })
    }
    return records.map((record) => ({ ...record, place_url_name: names.get(toKey(record))?.urlName ?? null }))
  }
}

const toKey = ({ lng, lat }: IssueRecord) => `${lng} ${lat}`
