import type { Area } from '../geo/area.ts'

/** How an area is kept: the numbers of its kind, the others null. `lng` and `lat` are of its centre, null of a box. */
export interface WatchedRow {
  readonly id: number
  readonly kind: 'polygon' | 'circle' | 'box' | 'place'
  readonly place_id: number | null
  readonly radius_m: number | null
  readonly west: number | null
  readonly south: number | null
  readonly east: number | null
  readonly north: number | null
  readonly lng: number | null
  readonly lat: number | null
}

/** The Area of the kind that it was asked for. A constraint of the table holds that the numbers of each kind are there. */
export function areaOfRow(row: WatchedRow): Area {
  const centre = { lng: row.lng as number, lat: row.lat as number }
  switch (row.kind) {
    case 'polygon':
      return { kind: 'watched', watchAreaId: row.id, centre }
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
