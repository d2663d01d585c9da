import type { Link } from '../gis/ogc/links.ts'
import { breadcrumb, language, linkList } from '../gis/ogc/page-parts.ts'
import { MATRIX_SET, TILESET } from '../gis/ogc/tile-paths.ts'
import { createLinks } from '../html/links.ts'
import type { HtmlPage } from '../html/page.ts'
import { html, type SafeHtml } from '../html/template.ts'
import type { Urls } from '../http/request/urls.ts'
import type { toMatrixSet, toMatrixSets, toTileSet, toTileSets } from './ogc-documents.ts'

/** Returns a page that shows a document. */
export type PageFactory<Document> = (document: Document, urls: Urls) => HtmlPage

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

export const tileSetsPage: PageFactory<ReturnType<typeof toTileSets>> = ({ tilesets, links }, urls) =>
  page(
    urls,
    'Tile sets',
    'The vector tiles of this service.',
    html`${tilesets.map(({ title }) => linkTo(urls, TILESET, title))}`,
    links,
  )

export const tileSetPage: PageFactory<ReturnType<typeof toTileSet>> = (
  { title, description, attribution, layers, links },
  urls,
) => {
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

export const matrixSetsPage: PageFactory<ReturnType<typeof toMatrixSets>> = ({ tileMatrixSets, links }, urls) =>
  page(
    urls,
    'Tile matrix sets',
    'The grids of the tiles of this service.',
    html`${tileMatrixSets.map(({ id }) => linkTo(urls, MATRIX_SET, id))}`,
    links,
  )

export const matrixSetPage: PageFactory<ReturnType<typeof toMatrixSet>> = ({ id, title, crs, tileMatrices, links }, urls) => {
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
