import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'

import type { Queryable } from '../database/database.ts'
import { MVT } from '../gis/ogc/parameters.ts'
import { weakEtag } from '../http/caching/validators.ts'
import { LICENCE_LINK } from '../http/formats/feature-collection.ts'
import type { IssueFilter } from '../issues/list/filter.ts'
import { findTileVersion, type TileVersion } from './tile-version.ts'
import { readTile, tileBox } from './read-tile.ts'
import type { TileAddress } from './tile-grid.ts'

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

interface CachedTile {
  readonly version: TileVersion
  readonly etag: string
  readonly body: Buffer
}

/** A cache of this size has about 1,000 tiles of a city, or 30,000 tiles without issues. */
const BYTES_MAX = 32_000_000
const ENTRY_BYTES = 500

/** Tiles by `tileKey`, for all callers. A tile is sent only if its version is current. */
const createTileCache = () =>
  new LRUCache<string, CachedTile>({
    maxSize: BYTES_MAX,
    sizeCalculation: ({ body, version }, key) => body.length + 2 * (version.length + key.length) + ENTRY_BYTES,
  })

/** Returns the same key for all URLs of a tile with the same filter. */
const tileKey = ({ z, x, y }: TileAddress, filter: IssueFilter): string => JSON.stringify([z, x, y, filter])

/** The types that the compression would not know. */
export const COMPRESSION = { customTypes: /vector-tile|json/ }

/** Sends a document as JSON. */
export function sendDocument(request: FastifyRequest, reply: FastifyReply, document: object) {
  void reply.header('link', LICENCE_LINK)
  return reply.send(document)
}
