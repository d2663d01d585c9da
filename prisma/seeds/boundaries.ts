import type { MultiPolygon } from 'geojson'
import { readFile } from 'node:fs/promises'

import { sql, type Executable } from '../../src/database/database.ts'
import { cities, states } from './cities/index.ts'
import type { LngLat } from './cities/city.ts'

/** Polygons of the US Census by way of us-atlas (public domain), by the number of the county or state. */
export type Boundaries = ReadonlyMap<string, MultiPolygon>

export async function readBoundaries(): Promise<Boundaries> {
  const text = await readFile(new URL('./boundaries.json', import.meta.url), 'utf8')
  const parts = Object.entries(JSON.parse(text) as Record<string, MultiPolygon['coordinates']>)
  return new Map(parts.map(([fips, coordinates]) => [fips, { type: 'MultiPolygon', coordinates }]))
}

export const boundaryOf = (boundaries: Boundaries, fips: string): MultiPolygon => {
  const boundary = boundaries.get(fips)
  if (!boundary) throw new Error(`boundaries.json has no boundary with the number ${fips}`)
  return boundary
}

interface PlaceRow {
  readonly fips: string
  readonly name: string
  readonly urlName: string
  readonly type: 'City' | 'County' | 'State'
  readonly county: string | null
  readonly state: string
  readonly heart?: LngLat
}

/** Cities first: where a city is its own county, its smaller id puts it first among places of equal distance and area. */
export const placeRows: readonly PlaceRow[] = [
  ...cities.map(({ fips, name, urlName, state, county, heart }) => ({
    ...{ fips, name, urlName, state, heart },
    type: 'City' as const,
    county: county.name,
  })),
  ...cities.flatMap(({ fips, state, county: { name, urlName } }) =>
    urlName === undefined ? [] : [{ fips, name, urlName, state, type: 'County' as const, county: name }],
  ),
  ...states.map(({ fips, name, urlName, code }) => ({ fips, name, urlName, state: code, type: 'State' as const, county: null })),
]

/** The key that marks the demo's places, by which it is known to be there. */
export const demoKey = (urlName: string): string => `demo:${urlName}`

/**
 * Writes the places from the id on. A city's centre is its heart; for the others it is the middle of the largest part, or a
 * point on that part where the middle lies outside, so that islands far off cannot pull it into the sea.
 */
export async function writePlaces(session: Executable, boundaries: Boundaries, firstId: number, now: Date): Promise<void> {
  const written = now.toISOString()
  for (const [index, row] of placeRows.entries()) {
    const geometry = JSON.stringify(boundaryOf(boundaries, row.fips))
    const [lng, lat] = row.heart ?? [null, null]
    await session.execute(sql`
      WITH given AS (
        SELECT ST_Multi(ST_CollectionExtract(ST_MakeValid(ST_SetSRID(ST_GeomFromGeoJSON(${geometry}), 4326)), 3)) AS boundary,
               ST_SetSRID(ST_MakePoint(${lng}::double precision, ${lat}::double precision), 4326) AS heart
      ), largest AS (
        SELECT part.geom FROM given g, ST_Dump(g.boundary) part ORDER BY ST_Area(part.geom) DESC, part.path LIMIT 1
      ), centred AS (
        SELECT g.boundary,
               CASE WHEN ST_Covers(g.boundary, g.heart) THEN g.heart
                    WHEN ST_Covers(l.geom, ST_Centroid(l.geom)) THEN ST_Centroid(l.geom)
                    ELSE ST_PointOnSurface(l.geom) END AS center
        FROM given g, largest l
      )
      INSERT INTO places (id, name, url_name, place_type, county, state, boundary, center_lng, center_lat, area_m2,
                          import_key, created_at, updated_at)
      SELECT ${firstId + index}, ${row.name}, ${row.urlName}, ${row.type}, ${row.county}, ${row.state}, c.boundary,
             round(ST_X(c.center)::numeric, 6), round(ST_Y(c.center)::numeric, 6), ST_Area(c.boundary::geography),
             ${demoKey(row.urlName)}, ${written}::timestamptz, ${written}::timestamptz
      FROM centred c`)
  }
}
