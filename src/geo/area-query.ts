import Type, { type Static } from 'typebox'

import { problems } from '../errors/problems.ts'
import { type Area, centre } from './area.ts'
import { viewAround } from './box.ts'
import type { Point } from './point.ts'

const Latitude = (description: string, example = 39.7392) =>
  Type.Optional(
    Type.Number({ minimum: -90, maximum: 90, description, examples: [example], 'x-allowed': 'a number from -90 to 90' }),
  )
const Longitude = (description: string, example = -104.9903) =>
  Type.Optional(
    Type.Number({ minimum: -180, maximum: 180, description, examples: [example], 'x-allowed': 'a number from -180 to 180' }),
  )
const Text = (description: string, example: string) =>
  Type.Optional(
    Type.String({ minLength: 1, maxLength: 300, description, examples: [example], 'x-allowed': 'a text of 1 to 300 characters' }),
  )

export const PointQuery = Type.Object({
  lat: Latitude('Latitude of the point, WGS84.'),
  lng: Longitude('Longitude of the point, WGS84.'),
  address: Text('Deprecated: geocode on the client and send lat and lng.', '1437 Bannock St, Denver'),
})

/** The parameters of every list that takes an area. */
export const AreaQuery = Type.Object({
  ...PointQuery.properties,
  zoom: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 22,
      description:
        'With a point: the area is what a map of 1024 × 1024 pixels shows at this zoom. A point without it is no area, but where sort=distance measures from.',
      examples: [14],
      'x-allowed': 'a number from 0 to 22',
    }),
  ),
  place_url: Text(
    'The `url_name` of a place: its polygon, edge included. Polygons are planar in longitude and latitude and end at 180 and -180 (RFC 7946).',
    'denver',
  ),
  min_lat: Latitude('South edge of a box.', 39.72),
  min_lng: Longitude(
    'West edge of a box; greater than max_lng, the box crosses the antimeridian. An edge at 180 or -180 holds what is stored under either.',
    -105.02,
  ),
  max_lat: Latitude('North edge of a box.', 39.76),
  max_lng: Longitude('East edge of a box.', -104.96),
  watcher_token: Text('The token of a watch area.', 'the-token-of-a-watch-area'),
})
export type AreaQuery = Static<typeof AreaQuery>

/** How names become areas; the features and the geocoder give these, so that this room needs neither. */
export interface AreaLookup {
  placeByUrl(urlName: string): Promise<{ id: number; centre: Point } | undefined>
  /** The very area that was asked for when the token was made. */
  watchAreaByToken(token: string): Promise<Area | undefined>
  /** A point on a polygon (GeoJSON) that is not stored, and what PostGIS has against it, in its own words; null where nothing. */
  judgePolygon(geojson: string): Promise<{ centre: Point; reason: string | null }>
  /** @throws Problem 422 where no geocoder is set or the address is unknown */
  geocode(address: string): Promise<Point>
}

const corners = ['min_lat', 'min_lng', 'max_lat', 'max_lng'] as const

/** The forms in the order of the interface: what each is made of, and what comes after it. */
const forms: readonly { readonly whole: readonly Name[]; readonly later: readonly Name[] }[] = [
  { whole: ['lat', 'lng', 'zoom'], later: ['address', 'place_url', ...corners, 'watcher_token'] },
  // A point, too: its address is the later of two ways to give one.
  { whole: ['lat', 'lng'], later: ['address'] },
  { whole: ['address', 'zoom'], later: ['place_url', ...corners, 'watcher_token'] },
  { whole: ['place_url'], later: [...corners, 'watcher_token'] },
  { whole: corners, later: ['watcher_token'] },
]

/**
 * The query as it was given, without what comes after the first complete form: that is not looked at, so it may be anything. To be asked
 * before the query is validated.
 */
export function withoutLaterForms<Query extends Readonly<Record<string, unknown>>>(query: Query): Query {
  const form = forms.filter(({ whole }) => whole.every((name) => query[name] !== undefined))
  const later = new Set<string>(form.flatMap(({ later }) => later))
  return later.size === 0 ? query : (Object.fromEntries(Object.entries(query).filter(([name]) => !later.has(name))) as Query)
}

type Reader = (query: AreaQuery, lookup: AreaLookup) => Promise<Area | undefined>
type Name = keyof AreaQuery

/** All of the group, or none of it: a mistyped area must never answer with the whole world. */
function together(query: AreaQuery, names: readonly Name[]): boolean {
  const missing = names.filter((name) => query[name] === undefined)
  if (missing.length === names.length) return false
  if (missing.length > 0) {
    const given = names.filter((name) => query[name] !== undefined)
    throw problems.invalid(Object.fromEntries(missing.map((name) => [name, `is missing: it goes with ${given.join(', ')}`])))
  }
  return true
}

const fromPoint: Reader = async (query) => {
  const point = together(query, ['lat', 'lng']) ? { lng: query.lng as number, lat: query.lat as number } : undefined
  if (query.zoom === undefined) return undefined
  if (point) return { kind: 'box', box: viewAround(point, query.zoom) }
  if (query.address !== undefined) return undefined
  throw problems.invalid({ lat: 'is missing: it goes with zoom', lng: 'is missing: it goes with zoom' })
}

const fromAddress: Reader = async (query, lookup) => {
  if (query.address === undefined) return undefined
  // Without zoom it is a point and no area, but one that must be there: the geocoder refuses what it does not know.
  const point = query.lat === undefined ? await lookup.geocode(query.address) : undefined
  if (query.zoom === undefined || !point) return undefined
  return { kind: 'box', box: viewAround(point, query.zoom) }
}

const fromPlace: Reader = async (query, lookup) => {
  if (query.place_url === undefined) return undefined
  const place = await lookup.placeByUrl(query.place_url)
  if (!place) throw problems.invalid({ place_url: 'is not the url_name of a place' })
  return { kind: 'place', placeId: place.id, centre: place.centre }
}

const fromBox: Reader = async (query) => {
  if (!together(query, corners)) return undefined
  const { min_lat: south, min_lng: west, max_lat: north, max_lng: east } = query as Required<AreaQuery>
  if (south > north) throw problems.invalid({ min_lat: 'must not be greater than max_lat' })
  return { kind: 'box', box: { west, south, east, north } }
}

const fromWatcher: Reader = async (query, lookup) => {
  if (query.watcher_token === undefined) return undefined
  const found = await lookup.watchAreaByToken(query.watcher_token)
  if (!found) throw problems.invalid({ watcher_token: 'is not the token of a watch area' })
  return found
}

/** The order is the contract: the first form that is complete decides, and later ones are not looked at. */
const readers: readonly Reader[] = [fromPoint, fromAddress, fromPlace, fromBox, fromWatcher]

/** @throws Problem 422 for a form that is half given, or that names what does not exist */
export async function resolveArea(query: AreaQuery, lookup: AreaLookup): Promise<Area> {
  for (const read of readers) {
    const area = await read(query, lookup)
    if (area) return area
  }
  return { kind: 'everywhere' }
}

/** Where distances are measured from: the given point, else the given address, else the centre of the area. */
export async function originOf(query: AreaQuery, area: Area, lookup: AreaLookup): Promise<Point | null> {
  return (await pointOf(query, lookup)) ?? centre(area)
}

/** The point of a query that asks for one; undefined when none is given. @throws Problem 422 for half a point */
export async function pointOf(query: Static<typeof PointQuery>, lookup: Pick<AreaLookup, 'geocode'>): Promise<Point | undefined> {
  if (together(query, ['lat', 'lng'])) return { lng: query.lng as number, lat: query.lat as number }
  return query.address === undefined ? undefined : lookup.geocode(query.address)
}
