import { type Language, text } from '../../locales/texts.ts'
import { problems } from '../../errors/problems.ts'
import type { AddressSearch } from '../../geo/address-search.ts'
import type { Point } from '../../geo/point.ts'
import { ADDRESS_MAX } from '../../issues/schema.ts'
import { invalidParameter, type Parameters } from '../input/parameters.ts'
import { readPoint } from '../input/point.ts'

export interface ReportedLocation {
  readonly point: Point
  readonly address: string
}

/** About 1 m. */
const DECIMALS = 5

/**
 * Returns the point of `lat` and `long` with `address_string` or the address that the geocoder finds there, or the point of `address_string`.
 * @throws Problem 422 without a location or for an unknown address, 503 if the geocoder does not answer
 */
export async function findLocation(
  fields: Parameters,
  addresses: AddressSearch | undefined,
  language: Language,
): Promise<ReportedLocation> {
  const point = readPoint(fields)
  const address = fields.get('address_string')
  if (point) return { point, address: address ?? (await addresses?.reverse(point, language)) ?? toText(point) }
  if (address !== undefined) return { point: await geocode(address, addresses, language), address }
  if (fields.has('address_id')) throw invalidParameter('address_id', text('address_id_unknown'))
  throw invalidParameter('lat', text('location_needed'))
}

async function geocode(address: string, addresses: AddressSearch | undefined, language: Language): Promise<Point> {
  if (!addresses) throw invalidParameter('address_string', text('address_string_not_geocoded'))
  const found = await addresses.search(address.slice(0, ADDRESS_MAX), { language })
  if (!found) throw problems.geocoderUnavailable()
  const [first] = found
  if (!first) throw invalidParameter('address_string', text('address_string_not_found'))
  return first.point
}

const toText = ({ lat, lng }: Point) => `${lat.toFixed(DECIMALS)}, ${lng.toFixed(DECIMALS)}`
