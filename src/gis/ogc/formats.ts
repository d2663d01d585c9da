import type { FastifyRequest } from 'fastify'
import { text } from '../../locales/texts.ts'
import { badParameter } from './bad-request.ts'

export type Format = 'json' | 'html' | 'jsonfg'

export const GEOJSON = 'application/geo+json'
export const JSON_FG = 'application/vnd.ogc.fg+json'
export const SCHEMA_JSON = 'application/schema+json'
export const OPENAPI_JSON = 'application/vnd.oai.openapi+json;version=3.0'
export const HTML = 'text/html'
export const MVT = 'application/vnd.mapbox-vector-tile'

/** Media types that ask for a format. JSON is first, because it is the default for any type. */
const mediaTypes: readonly (readonly [type: string, format: Format])[] = [
  ['application/json', 'json'],
  [GEOJSON, 'json'],
  [SCHEMA_JSON, 'json'],
  ['application/vnd.oai.openapi+json', 'json'],
  [JSON_FG, 'jsonfg'],
  [HTML, 'html'],
]

/** Returns the value of `f` for a media type. */
export const toFormat = (type: string): Format | undefined => mediaTypes.find(([known]) => type.startsWith(known))?.[1]

/** Returns the format that `f` or else `Accept` asks for. @throws Problem 400 for an unknown `f` */
export function negotiateFormat(request: FastifyRequest, f: string | null, formats: readonly Format[] = ['json', 'html']): Format {
  if (f !== null) {
    const format = formats.find((one) => one === f)
    if (!format) throw badParameter('f', text('must_be', { allowed: text('one_of', { values: formats.join(', ') }) }))
    return format
  }
  const types = mediaTypes.filter(([, format]) => formats.includes(format))
  const accepted = request.accepts().type(types.map(([type]) => type))
  return types.find(([type]) => type === accepted)?.[1] ?? 'json'
}
