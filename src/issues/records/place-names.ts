import { LRUCache } from 'lru-cache'
import Type, { type Static } from 'typebox'

import { Id, nullable } from '../../database/columns.ts'
import { type Queryable, sql } from '../../database/database.ts'
import { findPlacesVersion } from '../../places/queries.ts'
import { type IssueRecord, placeUrlName } from './columns.ts'

/** A lookup takes most of the time of a record, so a process caches the places of the points that are read again and again. */
const POINTS_MAX = 200_000

/** The coordinates, longitude first, by which the places of points are cached. */
export const pointText = sql`i.lng || ',' || i.lat AS point_text`
export const PointText = Type.Object({ point_text: Type.String() })

type PlacedRow = Static<typeof PointText> & Pick<IssueRecord, 'id' | 'place_url_name'>

type PlaceNames = LRUCache<string, { readonly urlName: string | null }>

// Unlike `max`, `maxSize` allocates no memory in advance.
const createCache = (): PlaceNames => new LRUCache({ maxSize: POINTS_MAX, sizeCalculation: () => 1 })

export type WithPlaceNames = ReturnType<typeof createPlaceNames>

/** Returns a function that sets `place_url_name` of rows that were read without it, but with `pointText`. */
export function createPlaceNames() {
  let cached = { version: '', names: createCache() }

  return async <Row extends PlacedRow>(reader: Queryable, readRows: () => Promise<readonly Row[]>): Promise<readonly Row[]> => {
    // The version is read before everything else, so that no newer version keeps names of older boundaries.
    const version = (await findPlacesVersion(reader)) ?? ''
    if (cached.version !== version) cached = { version, names: createCache() }
    const { names } = cached
    const rows = await readRows()
    const unknown = rows.filter((row) => !names.has(row.point_text))
    if (unknown.length > 0) {
      const found = await findPlaceUrlNames(
        reader,
        unknown.map(({ id }) => id),
      )
      for (const row of unknown) names.set(row.point_text, { urlName: found.get(row.id) ?? null })
    }
    return rows.map((row) => ({ ...row, place_url_name: names.get(row.point_text)?.urlName ?? null }))
  }
}

const PlaceOfIssue = Type.Object({ id: Id, place_url_name: nullable(Type.String()) })

/** Returns the `url_name` of the smallest place that covers an issue, by the id of the issue. */
async function findPlaceUrlNames(db: Queryable, issueIds: readonly number[]): Promise<ReadonlyMap<number, string | null>> {
  const rows = await db.query(sql.type(PlaceOfIssue)`
    SELECT i.id, ${placeUrlName} AS place_url_name FROM issues i WHERE i.id = ANY(${issueIds}::integer[])`)
  return new Map(rows.map(({ id, place_url_name }) => [id, place_url_name]))
}
