import type { FastifyReply, FastifyRequest } from 'fastify'

import type { Queryable } from '../database/database.ts'
import type { AreaLookup } from '../geo/area-query.ts'
import { isNotModified, setValidators } from '../http/caching/conditional.ts'
import type { Urls } from '../http/request/urls.ts'
import type { createTileSender } from './send-tile.ts'

/** The routes of tiles share these, so that their limits count together. */
export interface TileServices {
  readonly urls: Urls
  readonly areas: AreaLookup
  readonly reader: Queryable
  readonly sendTile: ReturnType<typeof createTileSender>
}

/** The types that the compression would not know. */
export const COMPRESSION = { customTypes: /vector-tile|json/ }

/** Sends a document as JSON, or 304. */
export function sendValidated(request: FastifyRequest, reply: FastifyReply, document: object) {
  setValidators(request, reply, { etagParts: [JSON.stringify(document)] })
  return isNotModified(request, reply) ? reply.notModified() : reply.send(document)
}
