import type { MultiPolygon } from 'geojson'
import { readFile } from 'node:fs/promises'
import { feature } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'

import { sql, type Executable } from '../../src/database/database.ts'
import { cities, states } from './cities/index.ts'
import type { LngLat } from './cities/city.ts'

/**
 * Polygons of the US Census Bureau (public domain), by the FIPS code of the county or state. Those of the cities are in boundaries.json
 * (1:500,000), those of the states in us-atlas (1:10,000,000).
 */
export type Boundaries = ReadonlyMap<string, MultiPolygon>

export async function readBoundaries(): Promise<Boundaries> {
  const parts = Object.entries(await readJson<Record<string, MultiPolygon['coordinates']>>('./boundaries.json'))
  const atlas = await readJson<Topology<{ states: GeometryCollection }>>(import.meta.resolve('us-atlas/states-10m.json'))
  const { features } = feature(atlas, atlas.objects.states)
  return new Map([
    ...features.flatMap(({ id, geometry }) => {
      if (geometry.type === 'MultiPolygon') return [[String(id), geometry] as const]
      return geometry.type === 'Polygon' ? [[String(id), toMultiPolygon([geometry.coordinates])] as const] : []
    }),
    ...parts.map(([fips, coordinates]) => [fips, toMultiPolygon(coordinates)] as const),
  ])
}

const toMultiPolygon = (coordinates: MultiPolygon['coordinates']): MultiPolygon => ({ type: 'MultiPolygon', coordinates })

const readJson = async <Json>(file: string): Promise<Json> =>
  JSON.parse(await readFile(new URL(file, import.meta.url), 'utf8')) as Json

export const findBoundary = (boundaries: Boundaries, fips: string): MultiPolygon => {
  const boundary = boundaries.get(fips)
  if (!boundary) throw new Error(`No boundary has the FIPS code ${fips}`)
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

/** The outline of a state is coarser than that of its cities. Adding them keeps every issue of a city inside its state. */
function boundariesOf(row: PlaceRow, boundaries: Boundaries): MultiPolygon[] {
  const inState = row.type === 'State' ? cities.filter(({ state }) => state === row.state) : []
  return [row.fips, ...inState.map(({ fips }) => fips)].map((fips) => findBoundary(boundaries, fips))
}

/** The centre of a county or state is on its largest polygon, because the centroid of all polygons can be in the sea. */
export async function writePlaces(session: Executable, boundaries: Boundaries, firstId: number, now: Date): Promise<void> {
  const written = now.toISOString()
  for (const [index, row] of placeRows.entries()) {
    const geometry = JSON.stringify({ type: 'GeometryCollection', geometries: boundariesOf(row, boundaries) })
    const [lng, lat] = row.heart ?? [null, null]
    await session.execute(sql`
      WITH place AS (
        SELECT ST_Multi(ST_CollectionExtract(ST_MakeValid(ST_UnaryUnion(ST_SetSRID(ST_GeomFromGeoJSON(${geometry}), 4326))), 3)) AS boundary,
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
                          external_id, import_key, created_at, updated_at)
      SELECT ${firstId + index}, ${row.name}, ${row.urlName}, ${row.type}, ${row.county}, ${row.state}, c.boundary,
             round(ST_X(c.center)::numeric, 6), round(ST_Y(c.center)::numeric, 6), ST_Area(c.boundary::geography),
             ${row.fips}, ${demoKey(row.urlName)}, ${written}::timestamptz, ${written}::timestamptz
      FROM centred c`)
  }
}
