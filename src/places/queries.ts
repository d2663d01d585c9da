import { empty, type Queryable, type Sql, sql } from '../database/database.ts'
import { alongDistances } from '../geo/nearest.ts'
import { isInPieces, locatedAt } from '../geo/pieces.ts'
import { distanceTo, geometryOf, type Point, polygonOnSphere, withoutIndex } from '../geo/point.ts'
import { lastRemoval } from '../http/caching/last-modified.ts'
import { limitOf, type Page } from '../http/lists/pagination.ts'

export interface PlaceRow {
  readonly id: number
  readonly name: string
  readonly url_name: string
  readonly county: string | null
  readonly state: string | null
  readonly place_type: string
  readonly center_lng: number
  readonly center_lat: number
}

/** A place as a list by distance has it: whether it covers the point, its edge included. */
export interface NearPlaceRow extends PlaceRow {
  readonly contains: boolean
}

/** When a place last changed or came, and when one last went away. */
export const lastPlaceChange: readonly Sql[] = [sql`(SELECT max(c.changed_at) FROM places c)`, lastRemoval('places')]

/** The same of the place that has this id or `url_name`; where one goes away another may be found by the same word. */
export const lastChangeOfPlace = (id: number | undefined, urlName: string): readonly Sql[] => [
  sql`(SELECT max(c.changed_at) FROM places c WHERE c.id = ${id ?? null}::integer OR c.url_name = ${urlName})`,
  lastRemoval('places'),
]

const placeColumns = sql`p.id, p.name, p.url_name, p.county, p.state, p.place_type, p.center_lng, p.center_lat`

/** Cities first, then by name; those whose name has `search` in it, without regard to case and accents. */
export async function listPlaces(db: Queryable, search: string, page: Page): Promise<{ entries: number; places: PlaceRow[] }> {
  const wanted = sql`position(lower(unaccent(${search})) IN lower(unaccent(p.name))) > 0`
  const rows = await db.query<PlaceRow & { entries: number }>(sql`
    SELECT total.entries, p.*
    FROM (SELECT count(*)::integer AS entries FROM places p WHERE ${wanted}) total
    LEFT JOIN (
      SELECT ${placeColumns}
      FROM places p
      WHERE ${wanted}
      ORDER BY p.place_type = 'City' DESC, p.name, p.id
      ${limitOf(page)}) p ON true
    ORDER BY p.place_type = 'City' DESC, p.name, p.id`)
  const places = rows.filter((row) => row.id !== null).map(({ entries: _, ...place }) => place)
  return { entries: rows[0]?.entries ?? 0, places }
}

/**
 * Where a first page begins: the cities, or all places where none is a city. The county of a city often bears its name and shape,
 * and would stand there as its twin.
 */
export async function listMainPlaces(db: Queryable, limit: number): Promise<PlaceRow[]> {
  return db.query<PlaceRow>(sql`
    SELECT ${placeColumns}
    FROM places p
    WHERE p.place_type = 'City' OR NOT EXISTS (SELECT FROM places c WHERE c.place_type = 'City')
    ORDER BY p.name, p.id
    LIMIT ${limit}::integer`)
}

/** The places that have the point in them, the smallest first. */
export function listPlacesAround(db: Queryable, point: Point): Promise<PlaceRow[]> {
  return db.query<PlaceRow>(sql`
    SELECT ${placeColumns} FROM places p
    WHERE p.boundary && ${geometryOf(point)} AND ${isInPieces('place', sql`p.id`, locatedAt(point))}
    ORDER BY p.area_m2, p.id`)
}

export async function findPlace(db: Queryable, id: number): Promise<PlaceRow | undefined> {
  const [place] = await db.query<PlaceRow>(sql`SELECT ${placeColumns} FROM places p WHERE p.id = ${id}`)
  return place
}

export async function findPlaceByUrlName(db: Queryable, urlName: string): Promise<PlaceRow | undefined> {
  const [place] = await db.query<PlaceRow>(sql`SELECT ${placeColumns} FROM places p WHERE p.url_name = ${urlName}`)
  return place
}

/**
 * By distance in metres: 0 where the polygon covers the point (planar, as everywhere), else to the polygon; ties go to the smaller
 * area, then to the smaller id. The two halves are each served by an index: what covers the point, and what is nearest to it. The index
 * knows no second key, so all that are as far away as the last one come along.
 */
export async function listPlacesNear(
  db: Queryable,
  point: Point,
  page: Page,
): Promise<{ entries: number; places: NearPlaceRow[] }> {
  const here = geometryOf(point)
  const upTo = page.page * page.perPage
  const ask = (fence: Sql) =>
    db.query<NearPlaceRow & { entries: number }>(sql`
    WITH covering AS (
      SELECT c.id, 0::double precision AS distance, c.area_m2
      FROM places c
      WHERE c.boundary && ${here} AND ${isInPieces('place', sql`c.id`, locatedAt(point))}),
    nearest AS (
      SELECT m.id, m.distance, m.area_m2
      FROM (
        SELECT n.id, ${distanceTo(point, polygonOnSphere(sql`n.boundary`))} AS distance, n.area_m2
        FROM places n
        WHERE NOT EXISTS (SELECT FROM covering c WHERE c.id = n.id)
        ${fence}) m
      ORDER BY m.distance
      FETCH FIRST (${upTo}::bigint) ROWS WITH TIES),
    ordered AS (
      SELECT b.id, b.distance, b.area_m2, b.contains
      FROM (SELECT c.*, TRUE AS contains FROM covering c UNION ALL SELECT n.*, FALSE FROM nearest n) b
      ORDER BY b.distance, b.area_m2, b.id
      ${limitOf(page)})
    SELECT total.entries, ${placeColumns}, o.contains
    FROM (SELECT count(*)::integer AS entries FROM places a) total
    LEFT JOIN ordered o ON true
    LEFT JOIN places p ON p.id = o.id
    ORDER BY o.distance, o.area_m2, p.id`)
  const rows = await alongDistances(
    () => ask(empty),
    () => ask(withoutIndex),
  )
  const places = rows.filter((row) => row.id !== null).map(({ entries: _, ...place }) => place)
  return { entries: rows[0]?.entries ?? 0, places }
}
