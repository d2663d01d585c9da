import type { MultiPolygon } from 'geojson'
import { readFile } from 'node:fs/promises'

import { sql, type Executable } from '../../src/database/database.ts'
import { cities, states } from './cities/index.ts'
import type { LngLat } from './cities/city.ts'

/** Polygons of the US Census from us-atlas (public domain), by the FIPS code of the county or state. */
export type Boundaries = ReadonlyMap<string, MultiPolygon>

export async function readBoundaries(): Promise<Boundaries> {
  const text = await readFile(new URL('./boundaries.json', import.meta.url), 'utf8')
  const parts = Object.entries(JSON.parse(text) as Record<string, MultiPolygon['coordinates']>)
  return new Map(parts.map(([fips, coordinates]) => [fips, { type: 'MultiPolygon', coordinates }]))
}

export const findBoundary = (boundaries: Boundaries, fips: string): MultiPolygon => {
  const boundary = boundaries.get(fips)
  if (!boundary) throw new Error(`boundaries.json has no boundary with the FIPS code ${fips}`)
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

/** Cities come first, because the smaller id decides between a city and a county with the same boundary. */
export const placeRows: readonly PlaceRow[] = [
  ...cities.map(({ fips, name, urlName, state, county, center: heart }) => ({
    ...{ fips, name, urlName, state, heart },
    type: 'City' as const,
    county: county.name,
  })),
  ...cities.flatMap(({ fips, state, county: { name, urlName } }) =>
    urlName === undefined ? [] : [{ fips, name, urlName, state, type: 'County' as const, county: name }],
  ),
  ...states.map(({ fips, name, urlName, code }) => ({ fips, name, urlName, state: code, type: 'State' as const, county: null })),
]

export const demoKey = (urlName: string): string => `demo:${urlName}`

/** The centre of a county or state is on its largest polygon, because the centroid of all polygons can be in the sea. */
export async function writePlaces(session: Executable, boundaries: Boundaries, firstId: number, now: Date): Promise<void> {
  const written = now.toISOString()
  for (const [index, row] of placeRows.entries()) {
    const geometry = JSON.stringify(findBoundary(boundaries, row.fips))
    const [lng, lat] = row.heart ?? [null, null]
    await session.execute(sql`
      WITH place AS (
        SELECT ST_Multi(ST_CollectionExtract(ST_MakeValid(ST_SetSRID(ST_GeomFromGeoJSON(${geometry}), 4326)), 3)) AS boundary,
               ST_SetSRID(ST_MakePoint(${lng}::double precision, ${lat}::double precision), 4326) AS center
      ), largest AS (
        SELECT part.geom FROM place p, ST_Dump(p.boundary) part ORDER BY ST_Area(part.geom) DESC, part.path LIMIT 1
      ), centred AS (
        SELECT p.boundary,
               CASE WHEN ST_Covers(p.boundary, p.center) THEN p.center
                    WHEN ST_Covers(l.geom, ST_Centroid(l.geom)) THEN ST_Centroid(l.geom)
                    ELSE ST_PointOnSurface(l.geom) END AS center
        FROM place p, largest l
      )
      INSERT INTO places (id, name, url_name, place_type, county, state, boundary, center_lng, center_lat, area_m2,
                          import_key, created_at, updated_at)
      SELECT ${firstId + index}, ${row.name}, ${row.urlName}, ${row.type}, ${row.county}, ${row.state}, c.boundary,
             round(ST_X(c.center)::numeric, 6), round(ST_Y(c.center)::numeric, 6), ST_Area(c.boundary::geography),
             ${demoKey(row.urlName)}, ${written}::timestamptz, ${written}::timestamptz
      FROM centred c`)
  }
}
