import { createLinks } from '../../html/links.ts'
import type { HtmlPage } from '../../html/page.ts'
import { html } from '../../html/template.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { Collection } from '../collections/collection.ts'
import { parameterNames } from '../collections/parameter-names.ts'
import { type Link, ROOT } from '../../gis/ogc/links.ts'
import { breadcrumb, language, linkList } from '../../gis/ogc/page-parts.ts'

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
