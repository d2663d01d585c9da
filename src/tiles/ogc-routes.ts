import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyError, FastifyRequest } from 'fastify'
import Type from 'typebox'

import { Problem, problems } from '../errors/problems.ts'
import { text, type Text } from '../errors/texts/text.ts'
import { filterQueryCompiler, parseFilterQuery } from '../gis/filter.ts'
import { FilterQuery } from '../gis/query.ts'
import { queryParameters } from '../http/lists/pagination.ts'
import { syncHook } from '../http/request/hooks.ts'
import { toValidationProblem } from '../http/validation/validation.ts'
import { sendValidated, type TileServices, COMPRESSION } from './face.ts'
import {
  COLLECTION_TILESETS,
  MATRIX_SETS,
  TILESET,
  TILESETS,
  toMatrixSet,
  toMatrixSets,
  toTileSet,
  toTileSets,
} from './ogc-documents.ts'
import { parseTileAddress } from './tile-path.ts'

const OgcTilePath = Type.Object({
  tileMatrix: Type.Integer({ minimum: 0 }),
  tileRow: Type.Integer({ minimum: 0 }),
  tileCol: Type.Integer({ minimum: 0 }),
})
/** The documents exist as JSON only. */
const DocumentQuery = Type.Object({ f: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: ['json'] })) })
const CREDENTIALS = 'access_token'

/** OGC API Tiles 1.0. Its routes are left out of the API reference, because /ogc has a description of its own. */
export const ogcTileRoutes: FastifyPluginAsyncTypebox<TileServices> = async (app, { urls, reader, areas, sendTile }) => {
  app.setValidatorCompiler(filterQueryCompiler(app))
  // The handler of the application renders what this one throws.
  app.setErrorHandler((error, request) => {
    throw toBadRequest(error, request)
  })
  app.addHook('preHandler', syncHook(refuseUnknownParameters))

  const documents = {
    [TILESETS]: () => toTileSets(urls, TILESETS),
    [COLLECTION_TILESETS]: () => toTileSets(urls, COLLECTION_TILESETS),
    [TILESET]: () => toTileSet(urls),
    [MATRIX_SETS]: () => toMatrixSets(urls),
    [`${MATRIX_SETS}/WebMercatorQuad`]: toMatrixSet,
  }
  for (const [path, toDocument] of Object.entries(documents))
    app.get(path, { compress: COMPRESSION, schema: { hide: true, querystring: DocumentQuery } }, async (request, reply) =>
      sendValidated(request, reply, toDocument()),
    )

  app.get(
    `${TILESET}/:tileMatrix/:tileRow/:tileCol`,
    { compress: COMPRESSION, schema: { hide: true, params: OgcTilePath, querystring: FilterQuery } },
    async (request, reply) => {
      const { tileMatrix, tileRow, tileCol } = request.params
      const tile = parseTileAddress({ z: tileMatrix, x: tileCol, y: tileRow }, { z: 'tileMatrix', x: 'tileCol', y: 'tileRow' })
      const filter = await parseFilterQuery({ reader, areas }, request.query, request.viewer)
      return sendTile({ request, reply, tile, filter })
    },
  )
}

/** @throws Problem 400 naming the first unknown parameter */
function refuseUnknownParameters(request: FastifyRequest): void {
  const { querystring } = request.routeOptions.schema ?? {}
  const known = Object.keys((querystring as typeof FilterQuery | undefined)?.properties ?? {})
  for (const name of queryParameters(request).keys()) {
    if (name === CREDENTIALS || known.includes(name.replace(/\[\]$/, ''))) continue
    throw problems.badRequest(
      text('parameter_error', {
        name: name.slice(0, 100).toWellFormed().replaceAll('\0', ''),
        reason: text('parameter_unknown', { names: known.join(', ') }),
      }),
    )
  }
}

/** Returns a problem with status 400 for invalid parameters, which are 422 elsewhere. */
function toBadRequest(error: unknown, request: FastifyRequest): unknown {
  const { validation, validationContext = 'querystring' } = error as Partial<FastifyError> & { validationContext?: string }
  const problem = validation ? toValidationProblem({ validation, validationContext }, request) : error
  if (!(problem instanceof Problem) || problem.status !== 422 || problem.body.kind === 'message') return problem
  const [[name, reasons] = ['base', text('not_allowed')]] = Object.entries(problem.body.fields)
  const [reason = text('not_allowed')] = [reasons].flat() as readonly Text[]
  return problems.badRequest(text('parameter_error', { name, reason }))
}
