import Type, { type Static } from 'typebox'

import { text } from '../locales/texts.ts'
import { problems } from '../errors/problems.ts'
import { type Area, centre } from './area.ts'
import { viewBox, RADIUS_MAX, RADIUS_MIN, reachesPole, type Point } from './shapes.ts'
import { parsePolygonArea, type PolygonLookup, POSITIONS_MAX } from './polygon.ts'

const Latitude = (description: string, example = 39.7392) =>
  Type.Optional(
    Type.Number({
      minimum: -90,
      maximum: 90,
      description,
      examples: [example],
    }),
  )
const Longitude = (description: string, example = -104.9903) =>
  Type.Optional(
    Type.Number({
      minimum: -180,
      maximum: 180,
      description,
      examples: [example],
    }),
  )
const TextParameter = (description: string, example: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 300,
      description,
      examples: [example],
    }),
  )

export const PointQuery = Type.Object({
  lat: Latitude('Latitude of the point, WGS84.'),
  lng: Longitude('Longitude of the point, WGS84.'),
  address: TextParameter('Deprecated: geocode on the client and send lat and lng.', '1437 Bannock St, Denver'),
})

export const AreaQuery = Type.Object({
  ...PointQuery.properties,
  zoom: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 22,
      description:
        'With a point: the area is what a map of 1024 × 1024 pixels shows at this zoom. A point without zoom or radius does not select an area; it is only the origin of sort=distance.',
      examples: [14],
    }),
  ),
  place_url: TextParameter(
    'The `url_name` of a place: its polygon, edge included. Polygons are planar in longitude and latitude and end at 180 and -180 (RFC 7946).',
    'denver',
  ),
  min_lat: Latitude('South edge of a box.', 39.72),
  min_lng: Longitude(
    'West edge of a box; greater than max_lng, the box crosses the antimeridian. An edge at 180 or -180 includes issues stored at either longitude.',
    -105.02,
  ),
  max_lat: Latitude('North edge of a box.', 39.76),
  max_lng: Longitude('East edge of a box.', -104.96),
  watcher_token: TextParameter('The token of a watch area.', 'the-token-of-a-watch-area'),
  radius: Type.Optional(
    Type.Number({
      minimum: RADIUS_MIN,
      maximum: RADIUS_MAX,
      description:
        'With lat and lng: the area is a circle of this radius in metres, on the sphere of mean radius. It may cross the antimeridian, but must not reach a pole.',
      examples: [500],
    }),
  ),
  area: Type.Optional(
    Type.String({
      description: `A GeoJSON Polygon or MultiPolygon (RFC 7946) of at most ${POSITIONS_MAX.toLocaleString('en')} positions as JSON text; with lat and lng, sort=distance measures from this point.`,
      examples: ['{"type":"Polygon","coordinates":[[[-105.007,39.737],[-104.98,39.737],[-104.98,39.76],[-105.007,39.737]]]}'],
      'x-allowed': text('geojson_polygon'),
    }),
  ),
})
export type AreaQuery = Static<typeof AreaQuery>

/** Resolves names to areas. src/startup/open-services.ts implements it, so that this room does not import features. */
export interface AreaLookup extends PolygonLookup {
  findPlaceByUrlName(urlName: string): Promise<{ id: number; centre: Point } | undefined>
  findWatchAreaByToken(token: string): Promise<Area | undefined>
  /** @throws Problem 422 if no geocoder is configured or the address is unknown */
  geocode(address: string): Promise<Point>
}

const corners = ['min_lat', 'min_lng', 'max_lat', 'max_lng'] as const

/** The forms of an area, by precedence, with their parameters. */
const areaForms: readonly (readonly ParameterName[])[] = [
  ['lat', 'lng', 'zoom'],
  ['address', 'zoom'],
  ['place_url'],
  corners,
  ['watcher_token'],
  ['lat', 'lng', 'radius'],
  ['area'],
]

/** A blank parameter counts as not given. */
const isGiven = (value: unknown) => value !== undefined && !(typeof value === 'string' && value.trim() === '')

/**
 * Removes the parameters of forms after the first complete one. Call it before validation, because an ignored parameter may have any value.
 * A point stays, as the origin of distances, and has precedence over an address, which also gives a point.
 */
export function dropOverriddenParameters<Query extends Readonly<Record<string, unknown>>>(query: Query): Query {
  const isComplete = (form: readonly ParameterName[]) => form.every((name) => isGiven(query[name]))
  const first = areaForms.findIndex(isComplete)
  const kept: readonly string[] = ['lat', 'lng', ...(areaForms[first] ?? [])]
  const overridden: readonly string[] = [
    ...(first === -1 ? [] : areaForms.slice(first + 1).flat()),
    ...(isComplete(['lat', 'lng']) ? ['address'] : []),
  ]
  return Object.fromEntries(Object.entries(query).filter(([name]) => kept.includes(name) || !overridden.includes(name))) as Query
}

/** Returns the parameters that select nothing: those apart from the first complete form, such as a point without zoom or radius. */
export function unusedAreaParameters(query: AreaQuery): ParameterName[] {
  const used = areaForms.find((form) => form.every((name) => isGiven(query[name])))
  return (Object.keys(AreaQuery.properties) as ParameterName[]).filter((name) => isGiven(query[name]) && !used?.includes(name))
}

type AreaParser = (query: AreaQuery, lookup: AreaLookup) => Promise<Area | undefined>
type ParameterName = keyof AreaQuery

/**
 * Returns whether the query has all parameters of a group. A part of the group is refused, so that a mistyped area never returns
 * the whole world.
 * @throws Problem 422 naming the missing parameters
 */
function requireAllOrNone(query: AreaQuery, names: readonly ParameterName[]): boolean {
  const missing = names.filter((name) => query[name] === undefined)
  if (missing.length === names.length) return false
  if (missing.length > 0) {
    const present = names.filter((name) => query[name] !== undefined)
    throw problems.invalid(
      Object.fromEntries(missing.map((name) => [name, text('required_together', { names: present.join(', ') })])),
    )
  }
  return true
}

const fromPoint: AreaParser = async (query) => {
  const point = requireAllOrNone(query, ['lat', 'lng']) ? { lng: query.lng as number, lat: query.lat as number } : undefined
  if (query.zoom === undefined) return undefined
  if (point) return { kind: 'box', box: viewBox(point, query.zoom) }
  if (query.address !== undefined) return undefined
  throw problems.invalid({ lat: text('required_together', { names: 'zoom' }), lng: text('required_together', { names: 'zoom' }) })
}

const fromAddress: AreaParser = async (query, lookup) => {
  if (query.address === undefined || query.zoom === undefined) return undefined
  return { kind: 'box', box: viewBox(await lookup.geocode(query.address), query.zoom) }
}

const fromPlace: AreaParser = async (query, lookup) => {
  if (query.place_url === undefined) return undefined
  const place = await lookup.findPlaceByUrlName(query.place_url)
  if (!place) throw problems.invalid({ place_url: text('place_unknown') })
  return { kind: 'place', placeId: place.id, centre: place.centre }
}

const fromBox: AreaParser = async (query) => {
  if (!requireAllOrNone(query, corners)) return undefined
  const { min_lat: south, min_lng: west, max_lat: north, max_lng: east } = query as Required<AreaQuery>
  if (south > north) throw problems.invalid({ min_lat: text('greater_than_max_lat') })
  return { kind: 'box', box: { west, south, east, north } }
}

const fromWatchArea: AreaParser = async (query, lookup) => {
  if (query.watcher_token === undefined) return undefined
  const area = await lookup.findWatchAreaByToken(query.watcher_token)
  if (!area) throw problems.invalid({ watcher_token: text('watch_token_unknown') })
  return area
}

const fromRadius: AreaParser = async (query) => {
  if (query.radius === undefined) return undefined
  requireAllOrNone(query, ['lat', 'lng', 'radius'])
  const { lng, lat, radius } = query as Required<AreaQuery>
  if (reachesPole({ lng, lat }, radius)) throw problems.invalid({ radius: text('circle_reaches_pole') })
  return { kind: 'circle', centre: { lng, lat }, radius_m: radius }
}

const fromPolygon: AreaParser = async (query, lookup) => {
  if (query.area === undefined) return undefined
  const parsed = await parsePolygonArea(query.area, lookup)
  if ('error' in parsed) throw problems.invalid({ area: parsed.error })
  return parsed
}

/** The order is part of the interface: the first complete form applies. */
const areaParsers: readonly AreaParser[] = [fromPoint, fromAddress, fromPlace, fromBox, fromWatchArea, fromRadius, fromPolygon]

/** @throws Problem 422 for an incomplete form, an invalid area or a name that does not exist */
export async function resolveArea(query: AreaQuery, lookup: AreaLookup): Promise<Area> {
  for (const parse of areaParsers) {
    const area = await parse(query, lookup)
    if (area) return area
  }
  // An address without zoom is only a point, but the geocoder must know it.
  if (query.address !== undefined) await lookup.geocode(query.address)
  return { kind: 'everywhere' }
}

/** Returns the origin of distances: the point of the query, its address, or the centre of the area. */
export async function findOrigin(query: AreaQuery, area: Area, lookup: AreaLookup): Promise<Point | null> {
  return (await findPoint(query, lookup)) ?? centre(area)
}

/** @throws Problem 422 if only one of `lat` and `lng` is sent */
export async function findPoint(query: Static<typeof PointQuery>, lookup: Pick<AreaLookup, 'geocode'>): Promise<Point | undefined> {
  if (requireAllOrNone(query, ['lat', 'lng'])) return { lng: query.lng as number, lat: query.lat as number }
  return query.address === undefined ? undefined : lookup.geocode(query.address)
}
