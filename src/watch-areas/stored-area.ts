import Type, { type Static } from 'typebox'

import { Id, nullable, stringEnum } from '../database/columns.ts'
import type { Area } from '../geo/area.ts'

/** Numbers that the kind does not have are null. `lng` and `lat` are the centre and null for a box. */
export const StoredAreaRow = Type.Object({
  id: Id,
  kind: stringEnum(['polygon', 'circle', 'box', 'place']),
  place_id: nullable(Id),
  radius_m: nullable(Type.Number()),
  west: nullable(Type.Number()),
  south: nullable(Type.Number()),
  east: nullable(Type.Number()),
  north: nullable(Type.Number()),
  lng: nullable(Type.Number()),
  lat: nullable(Type.Number()),
})
export type StoredAreaRow = Static<typeof StoredAreaRow>

/** Returns the `Area` of a row. A table constraint guarantees the numbers of each kind. */
export function rowToArea(row: StoredAreaRow): Area {
  const centre = { lng: row.lng as number, lat: row.lat as number }
  switch (row.kind) {
    case 'polygon':
      return { kind: 'watchArea', watchAreaId: row.id, centre }
    case 'circle':
      return { kind: 'circle', centre, radius_m: row.radius_m as number }
    case 'place':
      return { kind: 'place', placeId: row.place_id as number, centre }
    case 'box': {
      const [west, south, east, north] = [row.west, row.south, row.east, row.north] as [number, number, number, number]
      return { kind: 'box', box: { west, south, east, north } }
    }
  }
}
