import Type, { type Static } from 'typebox'

import { Id } from '../database/columns.ts'
import { type Queryable, sql } from '../database/database.ts'
import { prepared } from '../database/prepared.ts'
import { isMainPlace } from './queries.ts'

const PlaceLabel = Type.Object({
  id: Id,
  name: Type.String(),
  center_lng: Type.Number(),
  center_lat: Type.Number(),
  area_m2: Type.Number(),
  is_main: Type.Boolean(),
})
export type PlaceLabel = Static<typeof PlaceLabel>

/** Returns places whose names a map may show: the cities (all places if there are no cities), then the others, the largest first. */
export function listPlaceLabels(db: Queryable, limit: number): Promise<PlaceLabel[]> {
  return db.query(
    prepared(sql.type(PlaceLabel)`
    SELECT p.id, p.name, p.center_lng, p.center_lat, p.area_m2, ${isMainPlace} AS is_main
    FROM places p
    ORDER BY is_main DESC, p.area_m2 DESC, p.id
    LIMIT ${limit}::integer`),
  )
}
