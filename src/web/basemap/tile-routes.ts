import type { FastifyPluginAsync } from 'fastify'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

import type { TileSource } from '../../basemap/pmtiles-file.ts'

const decompress = promisify(gunzip)
const WEEK_S = 604_800
const MVT = 'application/vnd.mapbox-vector-tile'

interface TilePath {
  readonly z: string
  readonly x: string
  readonly y: string
}

/** Serves the tiles of the base map: 204 where the source has no tile, 404 for addresses that no tile can have. */
export const baseMapTileRoutes: FastifyPluginAsync<{ readonly tiles: TileSource }> = async (app, { tiles }) => {
  app.get<{ Params: TilePath }>('/basemap/:z/:x/:y.mvt', { compress: false }, async (request, reply) => {
    const { z, x, y } = request.params
    const address = [z, x, y].map(Number)
    const [zoom = 0, column = 0, row = 0] = address
    const isTile = [z, x, y].every((part) => /^\d{1,8}$/.test(part)) && zoom <= 26 && column < 2 ** zoom && row < 2 ** zoom
    if (!isTile) return reply.callNotFound()
    const tile = await tiles.readTile(zoom, column, row)
    void reply.headers({ 'cache-control': `public, max-age=${WEEK_S}`, vary: 'Accept-Encoding' })
    if (!tile) return reply.code(204).send()
    void reply.type(MVT)
    if (!tiles.isGzip) return reply.send(tile)
    if (request.accepts().encoding(['gzip', 'identity']) !== 'gzip') return reply.send(await decompress(tile))
    return reply.header('content-encoding', 'gzip').send(tile)
  })
}
