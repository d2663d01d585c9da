import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { FastifyRequest } from 'fastify'

import { text } from '../locales/texts.ts'
import { filterQueryCompiler, parseFilterQuery, FilterQuery, addRefusalOfOgcParameters } from '../gis/query.ts'
import { MVT } from '../gis/ogc/parameters.ts'
import { addDataPlugins } from '../http/plugins.ts'
import { FEEDS } from '../http/openapi/describe-operations.ts'
import { limitRequests } from '../http/request/request-limit.ts'
import { failsWith } from '../http/schema/fields.ts'
import type { Services } from '../services.ts'
import { findBounds } from './cluster-queries.ts'
import { ogcTileRoutes } from './ogc-routes.ts'
import { createTileSender, COMPRESSION, sendDocument } from './send-tile.ts'
import { CHANGES_CURSOR, encodeChangesCursor, findChangesPosition } from '../issue-lifecycle/changes-cursor.ts'
import { MapStyle, toStyle, TileJson, toTileJson, parseTileAddress, TilePath } from './tile-json.ts'
import { problems } from '../errors/problems.ts'
import { queryParameters, refuseTooLong, withParameters } from '../http/lists/pagination.ts'
import type { Urls } from '../http/request/urls.ts'
import { ZOOM_MAX } from './tile-grid.ts'

/** A map asks for 20 to 40 tiles at once, and again with every move. */
const CLIENT_LIMITS = { concurrency: 8, queueMax: 200, waitMaxMs: 10_000, rateFactor: 150, networkConcurrency: 12 }
/** Tiles get half of the read connections. */
const LIMITS = {
  requests: { concurrency: 16, queueMax: 500, waitMaxMs: 10_000 },
  queries: { poolShare: 0.5, queueMax: 1_000, waitMaxMs: 10_000 },
}

const TILES = '/tiles/issues/{z}/{x}/{y}.mvt'

export const tileRoutes: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  addDataPlugins(app, services, CLIENT_LIMITS)
  const { db, areas, urls } = limitRequests(app, services, LIMITS)
  const sendTile = createTileSender(db.reader)

  await app.register(ogcTileRoutes, { urls, areas, reader: db.reader, sendTile })
  app.setValidatorCompiler(filterQueryCompiler(app))
  addRefusalOfOgcParameters(app)

  app.get(
    '/tiles/issues/:z/:x/:y.mvt',
    {
      compress: COMPRESSION,
      schema: {
        operationId: 'getIssueTile',
        summary: 'Get a vector tile of issues',
        description:
          'Returns a Mapbox Vector Tile 2.1 with the layer `issues`: from zoom 12 on single issues, below that clusters with exact counts, each at about the mean of its issues, which add up to `entries` of `GET /issues` with the same parameters. Features outside 0 to 4095 are for drawing only: another tile counts them. A tile has at most 500 kB; if its points need more, it has clusters. A tile without issues has no bytes.',
        tags: [FEEDS],
        params: TilePath,
        querystring: FilterQuery,
        response: {
          200: { description: 'The tile.', content: { [MVT]: { schema: Type.Unsafe({ type: 'string', format: 'binary' }) } } },
          ...failsWith(404, 422),
        },
      },
    },
    async (request, reply) => {
      const tile = parseTileAddress(request.params)
      const filter = await parseFilterQuery({ reader: db.reader, areas }, request.query, request.viewer)
      return sendTile({ reply, tile, filter })
    },
  )

  app.get(
    '/tiles/issues.json',
    {
      compress: COMPRESSION,
      schema: {
        operationId: 'getIssueTileJson',
        summary: 'Get the TileJSON of the issues',
        description:
          'Returns TileJSON 3.0.0: the URL of the tiles with the same parameters, their fields and zooms, the bounds of the area and the licence. It can be shared, so a `watcher_token` is refused.',
        tags: [FEEDS],
        querystring: FilterQuery,
        response: {
          200: { description: 'The TileJSON.', content: { 'application/json': { schema: TileJson } } },
          ...failsWith(422),
        },
      },
    },
    async (request, reply) => {
      const tilesUrl = sharedUrl(urls, TILES, request)
      const { area } = await parseFilterQuery({ reader: db.reader, areas }, request.query, request.viewer)
      void reply.header(CHANGES_CURSOR, encodeChangesCursor(await findChangesPosition(db.reader, area)))
      return sendDocument(request, reply, toTileJson(urls, tilesUrl, await findBounds(db.reader, area)))
    },
  )

  app.get(
    '/tiles/issues/style.json',
    {
      compress: COMPRESSION,
      schema: {
        operationId: 'getIssueTileStyle',
        summary: 'Get a MapLibre style of the issues',
        description:
          'Returns a style of version 8 that draws the tiles with the same parameters: clusters by size, issues by status. It needs no fonts and icons. It can be shared, so a `watcher_token` is refused.',
        tags: [FEEDS],
        querystring: FilterQuery,
        response: { 200: { description: 'The style.', content: { 'application/json': { schema: MapStyle } } }, ...failsWith(422) },
      },
    },
    async (request, reply) => {
      // The URL of the tiles is longer.
      sharedUrl(urls, TILES, request)
      await parseFilterQuery({ reader: db.reader, areas }, request.query, request.viewer)
      return sendDocument(request, reply, toStyle(sharedUrl(urls, '/tiles/issues.json', request)))
    },
  )
}

const TOKEN = 'watcher_token'
const INDEX_MAX = String(2 ** ZOOM_MAX - 1)

/**
 * Returns the absolute URL of a path with the parameters of the validated query. It is part of a style or TileJSON, which are shared,
 * so a token in it would be too.
 * @throws Problem 422 for a `watcher_token`, even if another area overrides it, and for a URL that the service would refuse
 */
function sharedUrl(urls: Urls, path: string, request: FastifyRequest<{ Querystring: FilterQuery }>): string {
  const parameters = [...queryParameters(request)]
  if (parameters.some(([name]) => name === TOKEN)) throw problems.invalid({ [TOKEN]: text('token_in_shared_document') })
  const isValid = (name: string) => Object.hasOwn(request.query, name.replace(/\[\]$/, ''))
  const url = urls.at(
    withParameters(
      path,
      parameters.filter(([name]) => isValid(name)),
    ),
  )
  refuseTooLong(urls, url.replace(/\{[zxy]\}/g, INDEX_MAX))
  return url
}
