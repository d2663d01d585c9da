import type { FastifyReply, FastifyRequest } from 'fastify'

import type { Viewer } from '../http/auth/authentication.ts'
import { pageLanguage } from '../http/errors/text-language.ts'
import { LICENCE_NAME, LICENCE_URL } from '../http/formats/feature-collection.ts'
import type { Urls } from '../http/request/urls.ts'
import { type Key, type Language, languages, type Texts, textsIn } from '../locales/texts.ts'
import { assetVersion } from './assets.ts'
import { jsonLdScript } from './json-ld.ts'
import { type Links, createLinks, withoutCredentials } from './links.ts'
import { richText } from './rich-text.ts'
import { siteMenu } from './site-menu.ts'
import { html, type SafeHtml } from './template.ts'

/** Pages load no scripts and nothing from other hosts, so user content cannot run code. `pageHeaders` allows scripts of forms. */
export const contentSecurityPolicy =
  "default-src 'none'; img-src 'self' data:; style-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

/** A form shows the progress of its upload. */
const FORM_POLICY = "; connect-src 'self'"

const SITE_NAME = 'Fixpoint'
const LICENCE = html`<a href="${LICENCE_URL}" rel="license">${LICENCE_NAME}</a>`

declare module 'fastify' {
  interface FastifyRequest {
    /** The number in the menu of a moderator. */
    heldItems?: number
  }
}

export interface HtmlPage {
  readonly title: string
  /** One or two sentences for search engines and link previews. */
  readonly description: string
  /** Path and query of the canonical URL. Pages without one are not indexed. */
  readonly canonical?: string
  /** Structured data (schema.org) for search engines: anonymous callers of pages with a canonical URL. */
  readonly jsonLd?: readonly object[]
  readonly feed?: { readonly title: string; readonly href: string }
  /** The view `zoom/lat/lng` with which a report starts from the menu: that of the page's map. */
  readonly reportView?: string | undefined
  /** True if the page has the element `map`, on which a report starts without scripts. */
  readonly reportsOnMap?: boolean
  /** The same content for programs. */
  readonly alternate?: { readonly type: string; readonly title: string; readonly href: string }
  /** Absolute URL for link previews. */
  readonly image?: string | null
  /** Name of a script under /files. The page must also work without it. */
  readonly script?: string
  /** Path of a module for a form, which may send it to this service. The page must also work without it. */
  readonly formModule?: string
  readonly map?: PageMap
  /** True if a script adds the main landmark. */
  readonly hasOwnMain?: boolean
  /** The default is that of the request (`pageLanguage`). */
  readonly language?: Language
  readonly body: SafeHtml
}

/** The files of a page with a map. The page must also work without them. */
export interface PageMap {
  readonly script: string
  /** A script that runs after the other one, and shows the map for browsers without scripts if the other one was not loaded. */
  readonly fallback?: string
  /** The style sheet of a map that covers the width of the window. A smaller map loads it with its script, so that the text does not wait. */
  readonly stylesheet?: string
  /** Servers of the base map, besides this one. */
  readonly origins: readonly string[]
}

/**
 * @param viewer undefined if the caller was not identified, as on pages of unknown addresses
 * @param path the path to return to after a choice of the language, with its query; null for a page without this choice
 */
export function renderPage(
  page: HtmlPage & { readonly language: Language },
  urls: Urls,
  viewer?: Viewer | null,
  path: string | null = '/',
  heldItems?: number,
): string {
  const links = createLinks(urls)
  const { to } = links
  const { language } = page
  const texts = textsIn(language)
  const canonical = page.canonical === undefined ? undefined : urls.at(page.canonical)
  return String(html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title === SITE_NAME ? SITE_NAME : `${page.title} · ${SITE_NAME}`}</title>
<meta name="description" content="${page.description}">
${canonical === undefined ? noIndexTag : canonicalTags(canonical)}
<meta property="og:site_name" content="${SITE_NAME}">
<meta property="og:type" content="website">
<meta property="og:locale" content="${texts('language.openGraph')}">
<meta property="og:title" content="${page.title}">
<meta property="og:description" content="${page.description}">
${page.image ? html`<meta property="og:image" content="${page.image}">` : ''}
<meta name="twitter:card" content="${page.image ? 'summary_large_image' : 'summary'}">
${page.feed === undefined ? '' : html`<link rel="alternate" type="application/atom+xml" title="${page.feed.title}" href="${page.feed.href}">\n`}${page.alternate === undefined ? '' : html`<link rel="alternate" type="${page.alternate.type}" title="${page.alternate.title}" href="${page.alternate.href}">\n`}<link rel="icon" href="${to('/files/favicon.svg')}" type="image/svg+xml">
<link rel="apple-touch-icon" href="${to('/files/app/icon-192.png')}">
<link rel="manifest" href="${to('/manifest.webmanifest', { language })}">
<meta name="theme-color" content="#f6f7f5" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#11171c" media="(prefers-color-scheme: dark)">
<link rel="stylesheet" href="${to('/files/style.css', { v: assetVersion('style.css') })}">
${page.script === undefined ? '' : html`<script type="module" src="${to(`/files/${page.script}`, { v: assetVersion(page.script) })}"></script>`}
${page.formModule === undefined ? '' : html`<script type="module" src="${page.formModule}"></script>`}
${page.map?.stylesheet === undefined ? '' : html`<link rel="stylesheet" href="${page.map.stylesheet}">`}${page.map === undefined ? '' : html`<script type="module" src="${page.map.script}"></script>`}${page.map?.fallback === undefined ? '' : html`<script type="module" src="${page.map.fallback}"></script>`}
${canonical === undefined || viewer ? '' : (page.jsonLd ?? []).map(jsonLdScript)}
</head>
<body${page.map?.stylesheet === undefined ? '' : html` class="with-map"`}>
<a class="skip" href="#content">${texts('layout.skip')}</a>
<header class="site">
<a class="brand" href="${to('/')}"><img src="${to('/files/favicon.svg')}" width="32" height="32" alt=""> ${SITE_NAME}</a>
${siteMenu({ viewer, heldItems, reportView: page.reportView, reportsOnMap: page.reportsOnMap ?? false, language }, links)}
</header>
${
  page.hasOwnMain
    ? html`<div id="content" class="main">${page.body}</div>`
    : html`<main id="content">
${page.map || page.formModule ? outboxSection(texts) : ''}${page.body}
</main>`
}
<footer class="site">
<p>${richText(texts, 'layout.footer', { licence: LICENCE })}</p>
<p class="about"><a href="${to('/places')}">${texts('layout.places')}</a> <a href="${to('/questions')}">${texts('menu.questions')}</a> <a href="${to('/data')}">${texts('menu.data')}</a> <a href="${to('/about')}">${texts('menu.about')}</a> <a href="${to('/privacy')}">${texts('menu.privacy')}</a> <a href="${to('/terms')}">${texts('menu.terms')}</a></p>
${path === null ? '' : html`<p class="printed" id="printed-url" data-follows-map>${urls.at(path)}</p>`}
${path === null ? '' : languageForm(links, texts, language, path)}
</footer>
</body>
</html>
`)
}

/** A script shows here what became of reports that were sent without a connection. */
function outboxSection(texts: Texts): SafeHtml {
  const results = (['sent', 'saved', 'later', 'refused'] as const).map(
    (one) => html` data-${one}="${texts(`outbox.${one}`, { title: '{title}' })}" data-${one}-link="${texts(`outbox.${one}Link`)}"`,
  )
  return html`<div class="waiting" role="status" data-outbox${results} hidden></div>\n`
}

const noIndexTag = html`<meta name="robots" content="noindex">`
const canonicalTags = (url: string) => html`<link rel="canonical" href="${url}"><meta property="og:url" content="${url}">`

function languageForm({ to }: Links, texts: Texts, language: Language, path: string): SafeHtml {
  const buttons = languages.map(
    (one) =>
      html`<button class="plain" name="language" value="${one}" lang="${one}"${one === language ? html` aria-current="true"` : ''}>${textsIn(one)('language.name')}</button>`,
  )
  return html`<form class="languages" method="post" action="${to('/language')}" aria-label="${texts('layout.language')}">
<input type="hidden" name="return_to" value="${path}">${buttons}</form>`
}

/** Returns the title and the description of a page, and their language. */
export const pageTitles = (texts: Texts, title: Key, description: Key) => ({
  title: texts(title),
  description: texts(description),
  language: texts.language,
})

/** Returns a page of one narrow column, whose heading is its title. */
export const narrowPage = ({ body, ...page }: HtmlPage): HtmlPage => ({
  ...page,
  body: html`<div class="narrow">
<h1>${page.title}</h1>
${body}
</div>`,
})

export function sendPage(request: FastifyRequest, reply: FastifyReply, urls: Urls, page: HtmlPage) {
  const written = { language: pageLanguage(request), ...page }
  void reply.headers(pageHeaders(page)).type('text/html; charset=utf-8')
  return reply.send(renderPage(written, urls, request.viewer, returnPath(request), request.heldItems))
}

/** Sends a page that may contain form values or private data: it is not cached. */
export function sendPrivatePage(request: FastifyRequest, reply: FastifyReply, urls: Urls, page: HtmlPage) {
  return sendPage(request, reply.header('cache-control', 'private, no-store'), urls, page)
}

/** A response to a form has no address to return to but that of its page. The page of a mail cannot be opened again without its token. */
export function returnPath({ method, url }: FastifyRequest): string | null {
  if (method !== 'GET') return '/'
  return URL.parse(url, 'http://own.invalid')?.searchParams.has('token') ? null : withoutCredentials(url)
}

/** Browsers send the origin of a form only with this referrer policy. Other sites do not receive the URL. */
function pageHeaders({ script, formModule, map }: HtmlPage) {
  const scripts = script === undefined && formModule === undefined ? '' : SCRIPT_POLICY
  const forms = formModule === undefined ? '' : FORM_POLICY
  const policy = map === undefined ? `${contentSecurityPolicy}${scripts}${forms}` : mapPolicy(map.origins)
  return { 'content-security-policy': policy, 'referrer-policy': 'same-origin' }
}

const SCRIPT_POLICY = "; script-src 'self'"

/** Returns the policy of a page with a map that other sites may show in a frame. @param ancestors their origins */
export const framedMapPolicy = (origins: readonly string[], ancestors: readonly string[]): string =>
  mapPolicy(origins)
    .replace("frame-ancestors 'none'", `frame-ancestors ${["'self'", ...ancestors].join(' ')}`)
    .replace("form-action 'self'", "form-action 'none'")

/** A map loads tiles and works with a worker. */
function mapPolicy(origins: readonly string[]): string {
  const servers = ["'self'", ...origins].join(' ')
  const policy = contentSecurityPolicy.replace("img-src 'self'", `img-src ${servers}`)
  return `${policy}${SCRIPT_POLICY}; connect-src ${servers}; worker-src 'self'`
}

/** Pages with a token in their URL are not cached and send no referrer. Their routes need `config: { hasMailToken: true }`. */
export async function preventUrlLeaks(_request: unknown, reply: FastifyReply): Promise<void> {
  void reply.headers({ 'cache-control': 'private, no-store', 'referrer-policy': 'no-referrer' })
}

/** The same for a page whose form passes the CSRF check, for which browsers send the origin of the page, but not its path or query. */
export async function preventUrlLeaksExceptOrigin(_request: unknown, reply: FastifyReply): Promise<void> {
  void reply.headers({ 'cache-control': 'private, no-store', 'referrer-policy': 'strict-origin' })
}

/** Returns the attribute `lang` of a text in another language than the page (WCAG 3.1.2); null is an unknown language. */
export const langAttribute = (language: string | null | undefined, page: Language): SafeHtml | '' =>
  language === null || language === undefined || language === page ? '' : html` lang="${language}"`

/** Returns a text with its language, if that is not the page's. */
export function inLanguage(text: string, language: string | null | undefined, page: Language): SafeHtml | string {
  const attribute = langAttribute(language, page)
  return attribute === '' ? text : html`<span${attribute}>${text}</span>`
}
