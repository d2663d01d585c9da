import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'

import type { Queryable } from '../database/database.ts'
import type { AreaLookup } from '../geo/area-query.ts'
import { filterQueryCompiler, parseFilterQuery, FilterQuery } from '../gis/query.ts'
import { toBadRequest, type Link, readParameters } from '../gis/ogc/parameters.ts'
import { addDocumentRoute } from '../gis/ogc/document-route.ts'
import { COLLECTION_TILESETS, MATRIX_SET, MATRIX_SETS, TILESET, TILESETS } from '../gis/ogc/tile-paths.ts'
import type { HtmlPage } from '../html/page.ts'
import { LICENCE_LINK } from '../http/formats/feature-collection.ts'
import type { Urls } from '../http/request/urls.ts'
import { stringEnum } from '../http/schema/fields.ts'
import { COMPRESSION, type createTileSender } from './send-tile.ts'
import { parseTileAddress } from './tile-json.ts'
import { type DocumentFactory, toMatrixSet, toMatrixSets, toTileSet, toTileSets } from './ogc-documents.ts'
import { breadcrumb, language, linkList } from '../gis/ogc/page-parts.ts'
import { createLinks } from '../html/links.ts'
import { html, type SafeHtml } from '../html/template.ts'

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

  app.addHook('onRequest', async (_request, reply) => void reply.header('link', LICENCE_LINK))
  const add = <Document extends object>(path: string, toDocument: DocumentFactory<Document>, toPage: PageFactory<Document>) =>
    addDocumentRoute(app, urls, {
      path,
      toDocument: (links) => toDocument(urls, links),
      toPage: (document) => toPage(document, urls),
    })
  for (const path of [TILESETS, COLLECTION_TILESETS]) add(path, toTileSets, tileSetsPage)
  add(TILESET, toTileSet, tileSetPage)
  add(MATRIX_SETS, toMatrixSets, matrixSetsPage)
  add(MATRIX_SET, toMatrixSet, matrixSetPage)

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

/** Returns a page that shows a document. */
type PageFactory<Document> = (document: Document, urls: Urls) => HtmlPage

const page = (urls: Urls, title: string, description: string, content: SafeHtml, links: readonly Link[]): HtmlPage => ({
  title,
  description,
  language,
  body: html`${breadcrumb(urls)}<h1>${title}</h1><p>${description}</p>${content}<h2>Links</h2>${linkList(links, urls)}`,
})

const linkTo = (urls: Urls, path: string, title: string) =>
  html`<p><a class="button primary" href="${createLinks(urls).to(path, { f: 'html' })}">${title}</a></p>`

const table = (head: readonly string[], rows: readonly (readonly [string, ...unknown[]])[]) =>
  html`<div class="data" role="region" tabindex="0" aria-label="Table"><table><thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
    <tbody>${rows.map(([first, ...others]) => html`<tr><th scope="row">${first}</th>${others.map((value) => html`<td>${String(value)}</td>`)}</tr>`)}</tbody></table></div>`

const tileSetsPage: PageFactory<ReturnType<typeof toTileSets>> = ({ tilesets, links }, urls) =>
  page(
    urls,
    'Tile sets',
    'The vector tiles of this service.',
    html`${tilesets.map(({ title }) => linkTo(urls, TILESET, title))}`,
    links,
  )

const tileSetPage: PageFactory<ReturnType<typeof toTileSet>> = ({ title, description, attribution, layers, links }, urls) => {
  const fields = layers.flatMap(({ propertiesSchema }) => Object.entries(propertiesSchema.properties))
  const rows = fields.map(([name, field]) => [name, field.type, field.description] as const)
  return page(
    urls,
    title,
    description,
    html`<p>Maps of MapLibre open the style <code>${urls.at('/tiles/issues/style.json')}</code>.</p>
      <p>Attribution: ${attribution}</p>
      <h2>Properties of the layer issues</h2>
      ${table(['Property', 'Type', 'Meaning'], rows)}`,
    links,
  )
}

const matrixSetsPage: PageFactory<ReturnType<typeof toMatrixSets>> = ({ tileMatrixSets, links }, urls) =>
  page(
    urls,
    'Tile matrix sets',
    'The grids of the tiles of this service.',
    html`${tileMatrixSets.map(({ id }) => linkTo(urls, MATRIX_SET, id))}`,
    links,
  )

const matrixSetPage: PageFactory<ReturnType<typeof toMatrixSet>> = ({ id, title, crs, tileMatrices, links }, urls) => {
  const rows = tileMatrices.map((matrix) => [matrix.id, matrix.matrixWidth, matrix.cellSize, matrix.scaleDenominator] as const)
  return page(
    urls,
    `Tile matrix set ${id}`,
    title,
    html`<p>Coordinate reference system: <code>${crs}</code></p>
      ${table(['Tile matrix', 'Columns and rows', 'Metres of a pixel', 'Scale denominator'], rows)}`,
    links,
  )
}
