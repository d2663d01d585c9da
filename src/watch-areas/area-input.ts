import Type, { type Static } from 'typebox'

import type { Area } from '../geo/area.ts'
import type { AreaLookup } from '../geo/area-query.ts'
import { type Box, centreOf } from '../geo/box.ts'
import { reachesPole } from '../geo/circle.ts'
import type { Point } from '../geo/point.ts'
import { hasTooManyCloseEdges } from '../geo/close-edges.ts'
import { multiPolygon, POSITIONS_MAX, readPolygons } from '../geo/polygon.ts'
import { type Faults, problems } from '../errors/problems.ts'

export const RADIUS_MIN = 1
export const RADIUS_MAX = 100_000

/** As JSON a number, in a form or an address the same as text. */
const numberFrom = (min: number, max: number, description: string, example: number) =>
  Type.Optional(
    Type.Unsafe<number | string>({
      anyOf: [{ type: 'number' }, { type: 'string' }],
      description,
      examples: [example],
      'x-allowed': `a number from ${min} to ${max}`,
    }),
  )

/** The ways to say which area is watched; exactly one of them is to be given, whole. */
export const watchedAreaProperties = {
  area: Type.Optional(
    Type.Unsafe<object | string>({
      anyOf: [{ type: 'object' }, { type: 'string' }],
      description: `A GeoJSON Polygon or MultiPolygon (RFC 7946), holes and all, of at most ${POSITIONS_MAX.toLocaleString('en')} positions, or its JSON as text. Its edges are straight in longitude and latitude.`,
      examples: [
        {
          type: 'Polygon',
          coordinates: [
            [
              [-105.007, 39.737],
              [-104.98, 39.737],
              [-104.98, 39.76],
              [-105.007, 39.737],
            ],
          ],
        },
      ],
      'x-allowed': 'a GeoJSON Polygon or MultiPolygon',
    }),
  ),
  lat: numberFrom(-90, 90, 'With lng and radius: the centre of a circle.', 39.7392),
  lng: numberFrom(-180, 180, 'With lat and radius: the centre of a circle.', -104.9903),
  radius: numberFrom(
    RADIUS_MIN,
    RADIUS_MAX,
    'Of the circle, in metres on the sphere of mean radius. The circle may lie across the antimeridian, but not reach a pole.',
    500,
  ),
  place_url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 300,
      description: 'The `url_name` of a place: its boundary as it is, also after it has become another one.',
      examples: ['denver'],
      'x-allowed': 'a text of 1 to 300 characters',
    }),
  ),
  min_lat: numberFrom(-90, 90, 'South edge of a box.', 39.72),
  min_lng: numberFrom(-180, 180, 'West edge of a box; greater than max_lng, the box crosses the antimeridian.', -105.02),
  max_lat: numberFrom(-90, 90, 'North edge of a box.', 39.76),
  max_lng: numberFrom(-180, 180, 'East edge of a box.', -104.96),
}

/** For queries: `Type.Object({ ...WatchedAreaInput.properties, … })`. */
export const WatchedAreaInput = Type.Object(watchedAreaProperties)
export type WatchedAreaInput = Static<typeof WatchedAreaInput>

/** What is watched, as it was asked for: so it is kept, and so lists of it find what lies in it. */
export type WatchedArea =
  | { readonly kind: 'polygon'; readonly geojson: string; readonly centre: Point }
  | { readonly kind: 'circle'; readonly centre: Point; readonly radius_m: number }
  | { readonly kind: 'box'; readonly box: Box }
  | { readonly kind: 'place'; readonly placeId: number; readonly centre: Point }

type Name = keyof WatchedAreaInput

const forms = [
  ['area'],
  ['lat', 'lng', 'radius'],
  ['place_url'],
  ['min_lat', 'min_lng', 'max_lat', 'max_lng'],
] as const satisfies readonly (readonly Name[])[]

const WAYS = 'area; or lat, lng and radius; or place_url; or min_lat, min_lng, max_lat and max_lng'
export const NO_AREA = `an area is missing: give ${WAYS}`
export const TWO_AREAS = `give one area only: ${WAYS}`

/** Whether anything of an area is given at all. */
export const namesArea = (input: WatchedAreaInput) => forms.flat().some((name) => input[name] !== undefined)

/**
 * The area that is to be watched. Everything that is wrong is named at once.
 * @throws Problem 422 where a form is half given, none or several are, or what is given is no area
 */
export async function readWatchedArea(
  input: WatchedAreaInput,
  lookup: Pick<AreaLookup, 'placeByUrl' | 'judgePolygon'>,
): Promise<WatchedArea> {
  const found = await findWatchedArea(input, lookup)
  if ('faults' in found) throw problems.invalid(found.faults)
  return found.watched
}

/** The same for whoever names the faults together with others. */
export async function findWatchedArea(
  input: WatchedAreaInput,
  lookup: Pick<AreaLookup, 'placeByUrl' | 'judgePolygon'>,
): Promise<{ readonly watched: WatchedArea } | { readonly faults: Faults }> {
  const begun = forms.filter((names) => names.some((name) => input[name] !== undefined))
  const { numbers, faults } = readNumbers(input)
  for (const names of begun) {
    const missing = names.filter((name) => input[name] === undefined)
    const given = names.filter((name) => input[name] !== undefined)
    for (const name of missing) faults[name] = `is missing: it goes with ${given.join(', ')}`
  }
  if (begun.length === 0) faults['base'] = NO_AREA
  if (begun.length > 1 && Object.keys(faults).length === 0) faults['base'] = TWO_AREAS
  if (Object.keys(faults).length > 0) return { faults }
  if (input.area !== undefined) return polygonFrom(input.area, lookup)
  if (input.place_url !== undefined) return placeFrom(input.place_url, lookup)
  return input.radius !== undefined ? circleFrom(numbers) : boxFrom(numbers)
}

/** The Area of lists that has what is watched. */
export function areaOf(watched: WatchedArea): Area {
  return watched
}

/** A point on what is watched, in its middle where it has one. */
export const centreOfWatched = (watched: WatchedArea): Point => (watched.kind === 'box' ? centreOf(watched.box) : watched.centre)

type Numbers = Readonly<Record<Exclude<Name, 'area' | 'place_url'>, number>>
type Found = { readonly watched: WatchedArea } | { readonly faults: Faults }

const bounds: Readonly<Record<keyof Numbers, readonly [min: number, max: number]>> = {
  lat: [-90, 90],
  lng: [-180, 180],
  radius: [RADIUS_MIN, RADIUS_MAX],
  min_lat: [-90, 90],
  min_lng: [-180, 180],
  max_lat: [-90, 90],
  max_lng: [-180, 180],
}

/** As text: plain decimals, as text-values.ts reads them. */
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/

function readNumbers(input: WatchedAreaInput): { numbers: Numbers; faults: Record<string, string> } {
  const faults: Record<string, string> = {}
  const numbers: Partial<Record<keyof Numbers, number>> = {}
  for (const [name, [min, max]] of Object.entries(bounds) as [keyof Numbers, readonly [number, number]][]) {
    const given = input[name]
    if (given === undefined) continue
    const number = typeof given === 'number' ? given : given.length <= 40 && DECIMAL.test(given) ? Number(given) : NaN
    if (number >= min && number <= max) numbers[name] = number
    else faults[name] = `must be a number from ${min} to ${max}`
  }
  return { numbers: numbers as Numbers, faults }
}

const TOO_MANY_CLOSE_EDGES = 'has too many long edges close to each other: make it simpler'

async function polygonFrom(given: object | string, { judgePolygon }: Pick<AreaLookup, 'judgePolygon'>): Promise<Found> {
  const read = readPolygons(typeof given === 'string' ? parsed(given) : given)
  if ('fault' in read) return { faults: { area: read.fault } }
  if (hasTooManyCloseEdges(read.polygons)) return { faults: { area: TOO_MANY_CLOSE_EDGES } }
  const geojson = multiPolygon(read.polygons)
  const { centre, reason } = await judgePolygon(geojson)
  return reason === null ? { watched: { kind: 'polygon', geojson, centre } } : { faults: { area: faultOf(reason) } }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const faultsOfPolygons: Readonly<Record<string, string>> = {
  'Self-intersection': 'crosses itself',
  'Ring Self-intersection': 'has a ring that touches or crosses itself',
  'Hole lies outside shell': 'has a hole outside of the first ring of its polygon',
  'Holes are nested': 'has a hole inside of a hole',
  'Nested shells': 'has a polygon inside of another one',
  'Interior is disconnected': 'is cut in two by its holes: make two polygons of it',
  'Duplicate Rings': 'has the same ring twice',
  'Too few points in geometry component': 'has a ring with fewer than three different positions',
}

/** 'Self-intersection[-105.1 39.7]' → 'crosses itself at -105.1 39.7'. */
function faultOf(reason: string): string {
  const [, what = reason, place] = /^([^[]+)\[([^\]]+)\]$/.exec(reason) ?? []
  if (what === 'Encloses nothing') return 'encloses nothing'
  const fault = Object.hasOwn(faultsOfPolygons, what) ? faultsOfPolygons[what] : undefined
  if (fault === undefined || place === undefined) return `is not a valid polygon: ${reason}`
  return `${fault}, at longitude and latitude ${place}`
}

async function placeFrom(url_name: string, { placeByUrl }: Pick<AreaLookup, 'placeByUrl'>): Promise<Found> {
  const place = await placeByUrl(url_name)
  if (!place) return { faults: { place_url: 'is not the url_name of a place' } }
  return { watched: { kind: 'place', placeId: place.id, centre: place.centre } }
}

function circleFrom({ lat, lng, radius }: Numbers): Found {
  if (reachesPole({ lng, lat }, radius))
    return { faults: { radius: 'must be smaller here: the circle reaches a pole, and no map shows that' } }
  return { watched: { kind: 'circle', centre: { lng, lat }, radius_m: radius } }
}

function boxFrom({ min_lat: south, min_lng: west, max_lat: north, max_lng: east }: Numbers): Found {
  const faults: Record<string, string> = {}
  if (south > north) faults['min_lat'] = 'must not be greater than max_lat'
  if (south === north) faults['min_lat'] = 'must not be equal to max_lat: the box has no height'
  if (west === east || (west === 180 && east === -180)) faults['min_lng'] = 'must not be equal to max_lng: the box has no width'
  return Object.keys(faults).length > 0 ? { faults } : { watched: { kind: 'box', box: { west, south, east, north } } }
}
