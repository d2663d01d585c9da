import { breadcrumb, language, linkList, type FeatureMap, rowAttributes } from '../../gis/ogc/page-parts.ts'
import { type Link, ROOT } from '../../gis/ogc/parameters.ts'
import { formatNumber } from '../../html/format.ts'
import { createLinks } from '../../html/links.ts'
import type { HtmlPage } from '../../html/page.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Urls } from '../../http/request/urls.ts'
import { type Collection, parameterNames, type ItemFeature, type ItemPage, propertySchema } from '../collections/collection.ts'

interface LandingDocument {
  readonly title: string
  readonly description: string
  readonly links: readonly Link[]
}

export function landingPage({ description, links }: LandingDocument, urls: Urls): HtmlPage {
  const { to } = createLinks(urls)
  return {
    title: 'OGC API',
    description,
    canonical: ROOT,
    language,
    body: html`<h1>OGC API</h1>
      <p>${description} GIS programs such as QGIS open this address as OGC API Features.</p>
      <p><a class="button primary" href="${to(`${ROOT}/collections`, { f: 'html' })}">Collections</a></p>
      <pre tabindex="0">ogrinfo OAPIF:${urls.at(ROOT)}</pre>
      <h2>Links</h2>
      ${linkList(links, urls)}`,
  }
}

export const conformancePage = (classes: readonly string[], urls: Urls): HtmlPage => ({
  title: 'Conformance classes',
  description: 'The parts of the OGC API standards that this service implements.',
  language,
  body: html`${breadcrumb(urls)}<h1>Conformance classes</h1><ul>${classes.map((uri) => html`<li><code>${uri}</code></li>`)}</ul>`,
})

export const apiPage = (links: readonly Link[], urls: Urls): HtmlPage => ({
  title: 'How to use the OGC API',
  description: 'The operations and parameters of the OGC API of this service.',
  language,
  body: html`${breadcrumb(urls)}<h1>How to use the OGC API</h1>
    <p>The OpenAPI document describes every operation and parameter. The other operations of the service are in the
      <a href="${createLinks(urls).to('/docs')}">API reference</a>.</p>
    ${linkList(links, urls)}`,
})

export function collectionsPage(collections: readonly Collection[], urls: Urls): HtmlPage {
  const { to } = createLinks(urls)
  return {
    title: 'Collections',
    description: 'The collections of features of this service.',
    language,
    body: html`${breadcrumb(urls)}<h1>Collections</h1>
      ${collections.map(
        ({ id, title, description }) =>
          html`<section><h2><a href="${to(`${ROOT}/collections/${id}`, { f: 'html' })}">${title}</a></h2><p>${description}</p></section>`,
      )}`,
  }
}

export function collectionPage(collection: Collection, links: readonly Link[], urls: Urls): HtmlPage {
  const { to } = createLinks(urls)
  const { id, title, description } = collection
  return {
    title: `Collection ${title}`,
    description,
    language,
    body: html`${breadcrumb(urls, [collection])}<h1>${title}</h1>
      <p>${description}</p>
      <p><a class="button primary" href="${to(`${ROOT}/collections/${id}/items`, { f: 'html' })}">Show the items</a></p>
      <h2>Parameters of the items</h2>
      <p>${parameterNames(collection).map((name) => html`<code>${name}</code> `)}</p>
      <h2>Links</h2>
      ${linkList(links, urls)}`,
  }
}

interface LogicalSchema {
  readonly title: string
  readonly properties: Readonly<
    Record<string, { readonly type?: unknown; readonly format?: unknown; readonly description?: string }>
  >
}

export function schemaPage(collection: Collection, { title, properties }: LogicalSchema, urls: Urls): HtmlPage {
  const rows = Object.entries(properties).map(
    ([name, { type, format, description }]) =>
      html`<tr><th scope="row">${name}</th><td>${[type, format].filter(Boolean).join(', ')}</td><td>${description ?? ''}</td></tr>`,
  )
  return {
    title,
    description: title,
    language,
    body: html`${breadcrumb(urls, [collection])}<h1>${title}</h1>
      <div class="data" role="region" tabindex="0" aria-label="Properties"><table><thead><tr><th scope="col">Property</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
        <tbody>${rows}</tbody></table></div>`,
  }
}

interface ItemsView {
  readonly collection: Collection
  readonly features: readonly ItemFeature[]
  readonly page: ItemPage
  readonly links: readonly Link[]
  readonly urls: Urls
  readonly properties: readonly string[] | undefined
  readonly map: FeatureMap | undefined
}

export const rowsLabel = (count: number): string =>
  `Map of ${count === 1 ? 'the item' : `the ${formatNumber(count, language)} items`} of this page`

export function itemsPage({ collection, features, page, links, urls, properties, map }: ItemsView): HtmlPage {
  const { to, relative } = createLinks(urls)
  const columns = (properties ?? collection.tableColumns).filter((name) => name !== 'id')
  const pages = links.filter(({ rel }) => rel === 'first' || rel === 'next')
  const rows = features.map((feature) => {
    const cells = columns.map((name) => html`<td>${cell(collection, name, feature.properties[name])}</td>`)
    return html`<tr${rowAttributes(feature)}><th scope="row"><a href="${to(`${ROOT}/collections/${collection.id}/items/${feature.id}`, { f: 'html' })}">${feature.id}</a></th>${cells}</tr>`
  })
  return {
    title: `${collection.title} as features`,
    description: collection.description,
    language,
    ...(map ? { map: map.files } : {}),
    body: html`${breadcrumb(urls, [collection])}
      <h1>${collection.title}</h1>
      <p>${page.entries === 1 ? '1 item' : `${formatNumber(page.entries, language)} items`}, of which this page has ${features.length}.</p>
      ${figure(map)}
      ${
        features.length === 0
          ? html`<p class="empty">Nothing matches. Remove a parameter to see more.</p>`
          : html`<div class="data" role="region" tabindex="0" aria-label="Items" data-issue-list><table>
        <thead><tr><th scope="col">id</th>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
        <tbody>${rows}</tbody>
      </table></div>`
      }
      <nav class="pager" aria-label="Pages">${pages.map(({ rel, href, title }) => html`<a rel="${rel}" href="${relative(href)}">${title ?? rel}</a>`)}</nav>
      <h2>Links</h2>
      ${linkList(links, urls)}`,
  }
}

interface ItemView {
  readonly collection: Collection
  readonly feature: ItemFeature
  readonly links: readonly Link[]
  readonly urls: Urls
  readonly map: FeatureMap | undefined
}

const nameOf = ({ id, properties }: ItemFeature): string => toText(properties['summary'] ?? properties['name'] ?? id)
export const itemLabel = (feature: ItemFeature): string => `Map of ${nameOf(feature)}`

export function itemPage({ collection, feature, links, urls, map }: ItemView): HtmlPage {
  const rows = Object.entries(feature.properties).map(
    ([name, value]) => html`<tr><th scope="row">${name}</th><td>${cell(collection, name, value)}</td></tr>`,
  )
  const [lng, lat] = feature.geometry.type === 'Point' ? feature.geometry.coordinates : []
  const title = `${collection.title}: ${nameOf(feature)}`
  return {
    title,
    description: collection.description,
    language,
    ...(map ? { map: map.files } : {}),
    body: html`${breadcrumb(urls, [collection, feature.id])}
      <h1>${title}</h1>
      ${figure(map)}
      <div class="data properties" role="region" tabindex="0" aria-label="Properties"><table>
        <tbody><tr><th scope="row">geometry</th><td>${lng === undefined ? feature.geometry.type : `${lng}, ${lat} (longitude, latitude)`}</td></tr>${rows}</tbody>
      </table></div>
      <h2>Links</h2>
      ${linkList(links, urls)}`,
  }
}

const figure = (map: FeatureMap | undefined) => (map ? html`<figure class="frame feature-map">${map.drawing}</figure>` : '')

/** Users write URLs in texts, which stay texts. */
function cell(collection: Collection, name: string, value: unknown): SafeHtml | string {
  if (value === null || value === undefined) return html`<span class="quiet">none</span>`
  const text = toText(value)
  return propertySchema(collection, name).format === 'uri' ? html`<a href="${text}">${text}</a>` : text
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
