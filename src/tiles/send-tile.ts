import type { FastifyReply, FastifyRequest } from 'fastify'
import { hash } from 'node:crypto'

import packageJson from '../../package.json' with { type: 'json' }
import type { Queryable } from '../database/database.ts'
import { MVT } from '../gis/ogc/formats.ts'
import { hashForViewer, isNotModified, readEtag, setValidators } from '../http/caching/conditional.ts'
import { LICENCE_LINK } from '../http/formats/licence.ts'
import type { IssueFilter } from '../issues/list/filter.ts'
import { readTile, tileBox } from './read-tile.ts'
import { createTileCache, tileKey } from './tile-cache.ts'
import type { TileAddress } from './tile-grid.ts'
import { findTileVersion, type TileVersion } from './tile-version.ts'

interface TileRequest {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly tile: TileAddress
  readonly filter: IssueFilter
}

/**
 * Returns a function that sends a tile or 304. An ETag is the hash of the tile and carries the version with which it was read: while the
 * version is current, the response is 304 without reading the tile. The hash stays if an edit does not change the tile.
 */
export function createTileSender(reader: Queryable): (tileRequest: TileRequest) => Promise<unknown> {
  const cache = createTileCache()

  return async ({ request, reply, tile, filter }) => {
    void reply.header('link', LICENCE_LINK)
    const key = tileKey(tile, filter)
    const hashVersion = (version: TileVersion) => hashForViewer(request, [packageJson.version, key, version])
    const clientEtag = readEtag(request)
    const cached = cache.get(key)
    const version = clientEtag || cached ? await findTileVersion(reader, tileBox(tile), filter, request.viewer) : undefined
    if (clientEtag && version !== undefined && clientEtag.etagSuffix === hashVersion(version)) {
      void reply.header('etag', clientEtag.etag)
      return reply.notModified()
    }
    const current = cached && cached.version === version ? cached : await readAndCache(tile, filter, key)
    const contentHash = [current.hash]
    setValidators(request, reply, { etagParts: contentHash, etagSuffix: hashVersion(current.version) })
    if (clientEtag?.hash === hashForViewer(request, contentHash) || isNotModified(request, reply)) return reply.notModified()
    return reply.type(MVT).send(current.body)
  }

  async function readAndCache(tile: TileAddress, filter: IssueFilter, key: string) {
    const { version, body } = await readTile(reader, tile, filter)
    const current = { version, body, hash: hash('sha1', body, 'base64url') }
    cache.set(key, current)
    return current
  }
}
