import Type, { type Static } from 'typebox'

import { text, type Text } from '../locales/texts.ts'
import type { Area } from '../geo/area.ts'
import type { AreaLookup } from '../geo/area-query.ts'
import { type Box, boxCentre, RADIUS_MAX, RADIUS_MIN, reachesPole, type Point } from '../geo/shapes.ts'
import { parsePolygonArea, type PolygonArea, type PolygonLookup, POSITIONS_MAX } from '../geo/polygon.ts'
import { type ValidationErrors, problems } from '../errors/problems.ts'

/** Query strings and forms carry numbers as text. */
const numberSchema = (min: number, max: number, description: string, example: number) =>
  Type.Optional(
    Type.Unsafe<number | string>({
      anyOf: [{ type: 'number' }, { type: 'string' }],
      description,
      examples: [example],
      'x-allowed': text('number_between', { min, max }),
    }),
  )

/** A request has exactly one of these forms, with all of its fields. */
export const watchedAreaProperties = {
  area: Type.Optional(
    Type.Unsafe<object | string>({
      anyOf: [{ type: 'object' }, { type: 'string' }],
      description: `A GeoJSON Polygon or MultiPolygon (RFC 7946) with holes, of at most ${POSITIONS_MAX.toLocaleString('en')} positions, or its JSON as text. Its edges are straight in longitude and latitude.`,
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
      'x-allowed': text('geojson_polygon'),
    }),
  ),
  lat: numberSchema(-90, 90, 'With lng and radius: the centre of a circle.', 39.7392),
  lng: numberSchema(-180, 180, 'With lat and radius: the centre of a circle.', -104.9903),
  radius: numberSchema(
    RADIUS_MIN,
    RADIUS_MAX,
    'The radius in metres on the sphere of mean radius. The circle may cross the antimeridian, but must not reach a pole.',
    500,
  ),
  place_url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 300,
      description: 'The `url_name` of a place. The watch area follows later changes of its boundary.',
      examples: ['denver'],
      'x-allowed': text('a_text_between', { min: 1, max: 300 }),
    }),
  ),
  min_lat: numberSchema(-90, 90, 'South edge of a box.', 39.72),
  min_lng: numberSchema(-180, 180, 'West edge of a box; greater than max_lng, the box crosses the antimeridian.', -105.02),
  max_lat: numberSchema(-90, 90, 'North edge of a box.', 39.76),
  max_lng: numberSchema(-180, 180, 'East edge of a box.', -104.96),
}

const WatchedAreaInput = Type.Object(watchedAreaProperties)
type WatchedAreaInput = Static<typeof WatchedAreaInput>

/** The area is stored in the form in which it was requested, so that lists of the area return the same issues. */
export type WatchedArea =
  | PolygonArea
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

const NO_AREA = text('area_missing')

export const hasAreaInput = (input: WatchedAreaInput) => forms.flat().some((name) => input[name] !== undefined)

/** Reports all errors at once. @throws Problem 422 if a form is incomplete, none or several are used, or the area is invalid */
export async function readWatchedArea(
  input: WatchedAreaInput,
  lookup: Pick<AreaLookup, 'findPlaceByUrlName' | 'validatePolygon'>,
): Promise<WatchedArea> {
  const parsed = await parseWatchedArea(input, lookup)
  if ('errors' in parsed) throw problems.invalid(parsed.errors)
  return parsed.watched
}

export async function parseWatchedArea(
  input: WatchedAreaInput,
  lookup: Pick<AreaLookup, 'findPlaceByUrlName' | 'validatePolygon'>,
): Promise<ParsedArea> {
  const usedForms = forms.filter((names) => names.some((name) => input[name] !== undefined))
  const { numbers, errors } = readNumbers(input)
  for (const names of usedForms) {
    const missing = names.filter((name) => input[name] === undefined)
    const present = names.filter((name) => input[name] !== undefined)
    for (const name of missing) errors[name] = text('required_together', { names: present.join(', ') })
  }
  if (usedForms.length === 0) errors['base'] = NO_AREA
  if (usedForms.length > 1 && Object.keys(errors).length === 0) errors['base'] = text('one_area_only')
  if (Object.keys(errors).length > 0) return { errors }
  if (input.area !== undefined) return parsePolygon(input.area, lookup)
  if (input.place_url !== undefined) return parsePlace(input.place_url, lookup)
  return input.radius !== undefined ? parseCircle(numbers) : parseBox(numbers)
}

export function toArea(watched: WatchedArea): Area {
  return watched
}

/** Returns a point in the area, its centre if it has one. */
export const watchedAreaCentre = (watched: WatchedArea): Point => (watched.kind === 'box' ? boxCentre(watched.box) : watched.centre)

type Numbers = Readonly<Record<Exclude<Name, 'area' | 'place_url'>, number>>
type ParsedArea = { readonly watched: WatchedArea } | { readonly errors: ValidationErrors }

const bounds: Readonly<Record<keyof Numbers, readonly [min: number, max: number]>> = {
  lat: [-90, 90],
  lng: [-180, 180],
  radius: [RADIUS_MIN, RADIUS_MAX],
  min_lat: [-90, 90],
  min_lng: [-180, 180],
  max_lat: [-90, 90],
  max_lng: [-180, 180],
}

/** The pattern is that of compilers.ts. */
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/

function readNumbers(input: WatchedAreaInput): { numbers: Numbers; errors: Record<string, Text> } {
  const errors: Record<string, Text> = {}
  const numbers: Partial<Record<keyof Numbers, number>> = {}
  for (const [name, [min, max]] of Object.entries(bounds) as [keyof Numbers, readonly [number, number]][]) {
    const value = input[name]
    if (value === undefined) continue
    const number = typeof value === 'number' ? value : value.length <= 40 && DECIMAL.test(value) ? Number(value) : NaN
    if (number >= min && number <= max) numbers[name] = number
    else errors[name] = text('must_be', { allowed: text('number_between', { min, max }) })
  }
  return { numbers: numbers as Numbers, errors }
}

async function parsePolygon(area: object | string, lookup: PolygonLookup): Promise<ParsedArea> {
  const parsed = await parsePolygonArea(area, lookup)
  return 'error' in parsed ? { errors: { area: parsed.error } } : { watched: parsed }
}

async function parsePlace(url_name: string, { findPlaceByUrlName }: Pick<AreaLookup, 'findPlaceByUrlName'>): Promise<ParsedArea> {
  const place = await findPlaceByUrlName(url_name)
  if (!place) return { errors: { place_url: text('place_unknown') } }
  return { watched: { kind: 'place', placeId: place.id, centre: place.centre } }
}

function parseCircle({ lat, lng, radius }: Numbers): ParsedArea {
  if (reachesPole({ lng, lat }, radius)) return { errors: { radius: text('circle_reaches_pole') } }
  return { watched: { kind: 'circle', centre: { lng, lat }, radius_m: radius } }
}

function parseBox({ min_lat: south, min_lng: west, max_lat: north, max_lng: east }: Numbers): ParsedArea {
  const errors: Record<string, Text> = {}
  if (south > north) errors['min_lat'] = text('greater_than_max_lat')
  if (south === north) errors['min_lat'] = text('box_without_height')
  if (west === east || (west === 180 && east === -180)) errors['min_lng'] = text('box_without_width')
  return Object.keys(errors).length > 0 ? { errors } : { watched: { kind: 'box', box: { west, south, east, north } } }
}
