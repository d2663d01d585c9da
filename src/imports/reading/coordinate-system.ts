import { isObject } from './source-row.ts'

/** Examples: EPSG:4326, urn:ogc:def:crs:OGC:1.3:CRS84, http://www.opengis.net/def/crs/EPSG/0/4326 */
const WGS84 = /(?:^|[:/#])(?:EPSG(?:[:/][\d.]*)?[:/]4326|CRS:?84h?|WGS ?84)$/i
const SHOWN_MAX = 200

/** A `crs` (GeoJSON before RFC 7946) other than WGS84 is refused, because a wrong position looks like a correct one. */
export function validateCrs(crs: unknown): string | undefined {
  if (crs === undefined || crs === null) return undefined
  const properties = isObject(crs) ? crs['properties'] : undefined
  const name = isObject(properties) ? properties['name'] : undefined
  if (typeof name === 'string' && WGS84.test(name.trim())) return undefined
  const shown = typeof name === 'string' ? ` (${JSON.stringify(name.slice(0, SHOWN_MAX))})` : ''
  return `the crs${shown} is not WGS84: convert the data to WGS84 first (ogr2ogr -t_srs EPSG:4326)`
}
