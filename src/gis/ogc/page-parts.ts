import type { Feature, MultiPolygon, Point } from 'geojson'

import { createLinks } from '../../html/links.ts'
import type { PageMap } from '../../html/page.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Urls } from '../../http/request/urls.ts'
import { toFormat, type Link, ROOT } from './parameters.ts'

interface NamedCollection {
  readonly id: string
  readonly title: string
}

/** Pages show the documents of the API, which are in English. */
export const language = 'en'

/** Links to the landing page, the collections, a collection and its items. */
export function breadcrumb(urls: Urls, [collection, id]: readonly [NamedCollection?, number?] = []): SafeHtml {
  const { to } = createLinks(urls)
  const link = (path: string, text: string) => html`<a href="${to(`${ROOT}${path}`, { f: 'html' })}">${text}</a>`
  const path = collection && `/collections/${collection.id}`
  return html`<p class="quiet">${link('', 'OGC API')} · ${link('/collections', 'Collections')}${collection && path ? html` · ${link(path, collection.title)} · ${link(`${path}/items`, 'Items')}` : ''}${id === undefined ? '' : ` · ${id}`}</p>`
}

export function linkList(links: readonly Link[], urls: Urls): SafeHtml {
  const { relative } = createLinks(urls)
  const items = links.map(({ href, rel, type, title, templated }) => {
    const target = templated
      ? html`<code>${href}</code>`
      : html`<a href="${relative(withFormat(href, type, urls))}">${title ?? rel}</a>`
    return html`<li>${target} <span class="quiet">${rel}${type === undefined ? '' : `, ${type}`}</span></li>`
  })
  return html`<ul>${items}</ul>`
}

/** A browser asks for pages, so a link to another format names it. */
function withFormat(href: string, type = '', urls: Urls): string {
  const format = toFormat(type)
  const isOurs = href.startsWith(urls.at(ROOT))
  if (!isOurs || format === undefined || new URL(href).searchParams.has('f')) return href
  return `${href}${href.includes('?') ? '&' : '?'}f=${format}`
}

export type MapFeature = Feature<Point | MultiPolygon, Readonly<Record<string, unknown>>> & { readonly id: number }

export interface FeatureMap {
  readonly drawing: SafeHtml
  readonly files: PageMap
}

/** The maps of the service for pages of features. src/web/ogc implements them, because this folder may not import those of pages. */
export interface FeatureMaps {
  /** Returns a map of the rows of a page; undefined without features. */
  ofRows(features: readonly MapFeature[], label: string): Promise<FeatureMap | undefined>
  /** Returns a map of one feature and its surroundings. */
  ofFeature(feature: MapFeature, label: string): Promise<FeatureMap | undefined>
}

/** Returns the attributes by which the map of a page finds the row of a feature. */
export function rowAttributes({ id, geometry }: MapFeature): SafeHtml {
  if (geometry.type !== 'Point') return html` id="area-${id}" data-area="${id}" tabindex="-1"`
  const [lng, lat] = geometry.coordinates
  return html` data-issue="${id}" data-lng="${lng}" data-lat="${lat}"`
}
