import type { FastifyReply } from 'fastify'

/** Content types as they are sent. Requests name them in Accept (`negotiateType`). */
export const JSON_TYPE = 'application/json; charset=utf-8'
export const GEOJSON_TYPE = 'application/geo+json; charset=utf-8'
export const ATOM_TYPE = 'application/atom+xml; charset=utf-8'
export const RSS_TYPE = 'application/rss+xml; charset=utf-8'
export const CSV_TYPE = 'text/csv; charset=utf-8'

/** Returns the JSON of a 200 that has several content types; `reply.serialize` cannot choose between their schemas. */
export function serializeJson(reply: FastifyReply, body: unknown): string {
  const serialize = reply.getSerializationFunction('200', 'application/json')
  if (!serialize) throw new Error('The route has no schema for application/json')
  return serialize(body as Record<string, unknown>)
}
