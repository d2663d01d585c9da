import type { Urls } from '../http/request/urls.ts'
import { html, type SafeHtml } from './template.ts'

/** Characters that could end the element or, in old browsers, a line. */
const UNSAFE = /[<>&\u2028\u2029]/g

/** Returns a script element with structured data. It is not executed, so the content security policy does not apply to it. */
export function jsonLdScript(data: object): SafeHtml {
  const json = JSON.stringify({ '@context': 'https://schema.org', ...data }).replaceAll(
    UNSAFE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return html.raw`<script type="application/ld+json">${json}</script>`
}

/** The organisation that publishes the pages. */
export const publisher = (urls: Urls) => ({ '@type': 'Organization', name: 'Fixpoint', url: urls.at('/') })

/** The way from the home page to the page, whose own crumb is the last. */
export const breadcrumbList = (crumbs: readonly (readonly [name: string, path: string])[], urls: Urls) => ({
  '@type': 'BreadcrumbList',
  itemListElement: crumbs.map(([name, path], index) => ({
    '@type': 'ListItem',
    position: index + 1,
    name,
    item: urls.at(path),
  })),
})
