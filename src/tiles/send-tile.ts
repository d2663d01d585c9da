import type { FastifyReply } from 'fastify'

import type { Queryable } from '../database/database.ts'
import { MVT } from '../gis/ogc/formats.ts'
import { weakEtag } from '../http/caching/conditional.ts'
import { LICENCE_LINK } from '../http/formats/licence.ts'
import type { IssueFilter } from '../issues/list/filter.ts'
import { readTile, tileBox } from './read-tile.ts'
import { createTileCache, tileKey } from './tile-cache.ts'
import type { TileAddress } from './tile-grid.ts'
import { findTileVersion } from './tile-version.ts'

interface TileRequest {
  readonly reply: FastifyReply
  readonly tile: TileAddress
  readonly filter: IssueFilter
}

/**
 * Returns a function that sends a tile, from memory while its version is current. The ETag is a hash of the tile, which stays if an edit
 * does not change the tile.
 */
export function createTileSender(reader: Queryable): (tileRequest: TileRequest) => Promise<unknown> {
  const cache = createTileCache()

  return async ({ reply, tile, filter }) => {
    void reply.header('link', LICENCE_LINK)
    const key = tileKey(tile, filter)
    const cached = cache.get(key)
    const version = cached && (await findTileVersion(reader, tileBox(tile), filter))
    const { etag, body } = cached && cached.version === version ? cached : await readAndCache(tile, filter, key)
    return reply.header('etag', etag).type(MVT).send(body)
  }

  async function readAndCache(tile: TileAddress, filter: IssueFilter, key: string) {
    const { version, body } = await readTile(reader, tile, filter)
    const current = { version, body, etag: weakEtag(body) }
    cache.set(key, current)
    return current
  }
}
