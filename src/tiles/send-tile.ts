import type { FastifyReply, FastifyRequest } from 'fastify'
import { hash } from 'node:crypto'

import type { Queryable } from '../database/database.ts'
import { isNotModified, setValidators } from '../http/caching/conditional.ts'
import type { IssueFilter } from '../issues/list/filter.ts'
import { readTile, tileBox } from './read-tile.ts'
import { type CachedTile, createTileCache } from './tile-cache.ts'
import type { TileAddress } from './tile-grid.ts'
import { findTileVersion } from './tile-version.ts'

export const MVT = 'application/vnd.mapbox-vector-tile'

interface TileRequest {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly tile: TileAddress
  readonly filter: IssueFilter
}

/** Returns a function that sends a tile or 304. If nothing in its cells has changed, it does not read the tile again. */
export function createTileSender(reader: Queryable): (tileRequest: TileRequest) => Promise<unknown> {
  const cache = createTileCache()

  /** A caller with credentials has private responses, which stay out of the cache. */
  async function getTile({ request, tile, filter }: TileRequest): Promise<Omit<CachedTile, 'version'>> {
    const isCacheable = request.viewer === null && !request.hasTokenParameter
    const cached = isCacheable ? cache.get(request.url) : undefined
    if (cached && cached.version === (await findTileVersion(reader, tileBox(tile), filter))) return cached
    const { version, body } = await readTile(reader, tile, filter)
    const current = { version, body, hash: hash('sha1', body, 'base64url') }
    if (isCacheable) cache.set(request.url, current)
    return current
  }

  return async (tileRequest) => {
    const { request, reply } = tileRequest
    const { hash: bodyHash, body } = await getTile(tileRequest)
    setValidators(request, reply, { etagParts: [bodyHash] })
    if (isNotModified(request, reply)) return reply.notModified()
    return reply.type(MVT).send(body)
  }
}
