import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'

import { type Language, languages } from '../../locales/texts.ts'

/** Content types as they are sent. Requests name them in Accept (`negotiateType`). */
export const JSON_TYPE = 'application/json; charset=utf-8'
export const GEOJSON_TYPE = 'application/geo+json; charset=utf-8'
export const ATOM_TYPE = 'application/atom+xml; charset=utf-8'
export const RSS_TYPE = 'application/rss+xml; charset=utf-8'
export const CSV_TYPE = 'text/csv; charset=utf-8'
/** One JSON text a line, such as a GeoJSON feature. */
export const LINES_TYPE = 'application/x-ndjson; charset=utf-8'

/** Returns the JSON of a 200 that has several content types; `reply.serialize` cannot choose between their schemas. */
export function serializeJson(reply: FastifyReply, body: unknown): string {
  const serialize = reply.getSerializationFunction('200', 'application/json')
  if (!serialize) throw new Error('The route has no schema for application/json')
  return serialize(body as Record<string, unknown>)
}

const ACCEPTS_MAX = 200
/** Longer headers are not cached, so that clients cannot fill the memory. */
const ACCEPT_LENGTH_MAX = 300
/** A parameter other than the weight, such as `header=present` (RFC 4180) or `version=1`. */
const parameter = /;\s*(?!q\s*=)[^\s;,="]+\s*(?:=\s*(?:"[^"]*"|[^\s;,"]*))?/gi

/**
 * Returns a function for the content type that a caller prefers (RFC 9110, 12.5.1). The first type is the default: for a missing
 * header, for a tie and for a header that accepts none of them. Parameters that a caller adds to a type do not matter.
 * @param types content types as they are sent, with their parameters
 */
export function createTypeNegotiator<const Type extends string>(
  types: readonly [Type, ...Type[]],
): (request: FastifyRequest) => Type {
  // Parsing takes 6 to 60 µs, and a list from memory little more.
  const preferredTypes = new LRUCache<string, Type>({ max: ACCEPTS_MAX })
  const parse = ({ accepts }: FastifyRequest, accept: string) => {
    // `accepts` reads the headers of `raw` only.
    const raw = { headers: { accept: accept.replaceAll(parameter, '') } }
    const preferred = accepts.call({ raw } as FastifyRequest).type([...types])
    return types.find((type) => type === preferred) ?? types[0]
  }
  return (request) => {
    const { accept } = request.headers
    if (accept === undefined) return types[0]
    if (accept.length > ACCEPT_LENGTH_MAX) return parse(request, accept)
    const known = preferredTypes.get(accept)
    if (known !== undefined) return known
    const type = parse(request, accept)
    preferredTypes.set(accept, type)
    return type
  }
}

/** Returns the best match of `Accept-Language`. The user's locale does not count: it is unknown when credentials are refused. */
export function negotiateLanguage(request: FastifyRequest): Language {
  const best = request.language([...languages])
  return languages.find((language) => language === best) ?? 'en'
}
