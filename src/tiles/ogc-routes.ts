import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'

import type { Queryable } from '../database/database.ts'
import type { AreaLookup } from '../geo/area-query.ts'
import { filterQueryCompiler, parseFilterQuery } from '../gis/filter.ts'
import { toBadRequest } from '../gis/ogc/bad-request.ts'
import { HTML, negotiateFormat } from '../gis/ogc/formats.ts'
import { formatLinks } from '../gis/ogc/links.ts'
import { readParameters } from '../gis/ogc/parameters.ts'
import { COLLECTION_TILESETS, MATRIX_SET, MATRIX_SETS, TILESET, TILESETS } from '../gis/ogc/tile-paths.ts'
import { FilterQuery } from '../gis/query.ts'
import { sendPage } from '../html/page.ts'
import { queryParameters } from '../http/lists/pagination.ts'
import type { Urls } from '../http/request/urls.ts'
import { stringEnum } from '../http/schema/fields.ts'
import { COMPRESSION, sendDocument } from './send-document.ts'
import type { createTileSender } from './send-tile.ts'
import { parseTileAddress } from './tile-path.ts'
import { type DocumentFactory, toMatrixSet, toMatrixSets, toTileSet, toTileSets } from './ogc-documents.ts'
import { matrixSetPage, matrixSetsPage, type PageFactory, tileSetPage, tileSetsPage } from './ogc-pages.ts'

interface OgcTileServices {
  readonly urls: Urls
  readonly areas: AreaLookup
  readonly reader: Queryable
  /** It is shared with the other routes of tiles, so that they have one cache. */
  readonly sendTile: ReturnType<typeof createTileSender>
}

const OgcTilePath = Type.Object({
  tileMatrix: Type.Integer({ minimum: 0 }),
  tileRow: Type.Integer({ minimum: 0 }),
  tileCol: Type.Integer({ minimum: 0 }),
})
const OgcTileQuery = Type.Object({ ...FilterQuery.properties, f: Type.Optional(stringEnum(['mvt'])) })
const tileParameters = Object.keys(OgcTileQuery.properties)
const listParameters = Object.entries(OgcTileQuery.properties as Record<string, { readonly type?: unknown }>)
  .filter(([, { type }]) => type === 'array')
  .map(([name]) => name)

/** OGC API Tiles 1.0. Its routes are left out of the API reference, because /ogc has a description of its own. */
export const ogcTileRoutes: FastifyPluginAsyncTypebox<OgcTileServices> = async (app, { urls, reader, areas, sendTile }) => {
  app.setValidatorCompiler(filterQueryCompiler(app))
  // The handler of the application renders what this one throws.
  app.setErrorHandler((error, request) => {
    throw toBadRequest(error, request)
  })

  addDocumentRoute(app, urls, TILESETS, toTileSets, tileSetsPage)
  addDocumentRoute(app, urls, COLLECTION_TILESETS, toTileSets, tileSetsPage)
  addDocumentRoute(app, urls, TILESET, toTileSet, tileSetPage)
  addDocumentRoute(app, urls, MATRIX_SETS, toMatrixSets, matrixSetsPage)
  addDocumentRoute(app, urls, MATRIX_SET, toMatrixSet, matrixSetPage)

  app.get(
    `${TILESET}/:tileMatrix/:tileRow/:tileCol`,
    { compress: COMPRESSION, schema: { hide: true, params: OgcTilePath, querystring: OgcTileQuery } },
    async (request, reply) => {
      readParameters(request, tileParameters, listParameters)
      const { tileMatrix, tileRow, tileCol } = request.params
      const tile = parseTileAddress({ z: tileMatrix, x: tileCol, y: tileRow }, { z: 'tileMatrix', x: 'tileCol', y: 'tileRow' })
      const { f: _f, ...query } = request.query
      const filter = await parseFilterQuery({ reader, areas }, query, request.viewer)
      return sendTile({ reply, tile, filter })
    },
  )
}

function addDocumentRoute<Document extends object>(
  app: FastifyInstance,
  urls: Urls,
  path: string,
  toDocument: DocumentFactory<Document>,
  toPage: PageFactory<Document>,
): void {
  app.get(path, { compress: COMPRESSION, schema: { hide: true } }, async (request, reply) => {
    const format = negotiateFormat(request, readParameters(request, ['f']).get('f') ?? null)
    const document = toDocument(
      urls,
      formatLinks(urls, path, queryParameters(request), format, { json: 'application/json', html: HTML }),
    )
    return format === 'html' ? sendPage(request, reply, urls, toPage(document, urls)) : sendDocument(request, reply, document)
  })
}
