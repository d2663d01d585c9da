import swaggerUiPackage from '@fastify/swagger-ui/package.json' with { type: 'json' }
import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readFileSync } from 'node:fs'
import { type Language, textsIn } from '../../locales/texts.ts'
import { weakEtag } from '../caching/conditional.ts'
import { pageLanguage } from '../errors/text-language.ts'
import { sessionSecret } from '../identity/sessions.ts'
import type { Urls } from '../request/urls.ts'

const readText = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const style = readText('./reference-page.css') + readText('./reference-page-narrow.css')
const plugin = readText('./reference-plugin.js')
const icon = readText('../../html/files/favicon.svg')

/** Swagger UI calls the function in the browser, after `reference-plugin.js` has defined the plugin. */
declare const referencePlugin: (system: unknown) => object

export function referencePageOptions(urls: Urls): FastifySwaggerUiOptions {
  return {
    routePrefix: '/docs',
    // The prefix is needed behind a proxy that serves the service under a path.
    indexPrefix: pathPrefix(urls),
    uiConfig: {
      layout: 'BaseLayout',
      docExpansion: 'list',
      deepLinking: true,
      tryItOutEnabled: true,
      filter: true,
      plugins: [(system) => referencePlugin(system)],
    },
    theme: {
      title: 'API · Fixpoint',
      css: [{ filename: 'reference-page.css', content: style }],
      js: [{ filename: 'reference-plugin.js', content: plugin }],
      favicon: [{ filename: 'favicon.svg', rel: 'icon', type: 'image/svg+xml', sizes: 'any', content: icon }],
    },
    staticCSP: contentSecurityPolicy,
    // The page may be read at another host name, such as localhost, and calls the API at the public one.
    transformStaticCSP: (text) => text.replace("connect-src 'self'", `connect-src 'self' ${new URL(urls.root).origin}`),
  }
}

const CACHE_S = 86_400

/** Adds a header with links to the service in the language of the caller, caching, and what a phone and a screen reader need. */
export function adaptReferencePage(docs: FastifyInstance, urls: Urls): void {
  const versions = new Map<string, string>()
  const version = (ownHtml: string) => {
    const known = versions.get(ownHtml)
    if (known !== undefined) return known
    const created = weakEtag(JSON.stringify([docs.swagger(), style, plugin, icon, ownHtml, swaggerUiPackage.version]))
    versions.set(ownHtml, created)
    return created
  }
  const own = (request: FastifyRequest) => {
    const language = pageLanguage(request)
    // The session is not checked: the page shows nothing else of it.
    const isLoggedIn = sessionSecret(request, urls) !== undefined
    return { language, head: headTags(language), header: header(urls, language, isLoggedIn), container: container(language) }
  }
  const isFile = (url: string) => url.startsWith('/docs/static/')

  docs.addHook('onRequest', async (request, reply) => {
    if (isFile(request.url)) return
    void reply.headers({ etag: version(JSON.stringify(own(request))), vary: 'Cookie, Accept-Language' })
  })
  docs.addHook('onSend', async (request, reply, payload) => {
    if (isFile(request.url) && reply.statusCode < 400) void reply.header('cache-control', `public, max-age=${CACHE_S}`)
    const isHtml = typeof payload === 'string' && String(reply.getHeader('content-type')).startsWith('text/html')
    if (!isHtml) return payload
    const { language, ...parts } = own(request)
    const v = version('').replace(/\W/g, '').slice(1, 9)
    return payload
      .replace('<html lang="en">', `<html lang="${language}">`)
      .replace('<head>', `<head>\n      ${parts.head}`)
      .replace('<body>', `<body>\n      ${parts.header}`)
      .replace('<div id="swagger-ui">', parts.container)
      .replaceAll(/(\/static\/[^"]+)"/g, `$1?v=${v}"`)
  })
}

const headTags = (language: Language) =>
  `<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="description" content="${textsIn(language)('apiReference.description')}">`

function header(urls: Urls, language: Language, isLoggedIn: boolean): string {
  const texts = textsIn(language)
  const prefix = pathPrefix(urls)
  const account = isLoggedIn
    ? (['/account', texts('apiReference.account')] as const)
    : (['/login', texts('apiReference.logIn')] as const)
  const link = (path: string, name: string, attributes = '') => `<a href="${prefix}${path}"${attributes}>${name}</a>`
  const first = link('/report', texts('apiReference.report')) + link('/', texts('apiReference.map'))
  const others = [
    ['/places', texts('apiReference.places')] as const,
    ['/questions', texts('apiReference.questions')] as const,
    account,
  ]
  const wide = others.map(([path, name]) => link(path, name, ' class="wide"')).join('')
  // A phone has these links in a menu, as on the other pages.
  const menu = `<details class="menu"><summary>${texts('apiReference.menu')}</summary><ul>${others.map(([path, name]) => `<li>${link(path, name)}</li>`).join('')}</ul></details>`
  return `<a class="skip" href="#operations">${texts('apiReference.skip')}</a>
      <header class="site"><a class="brand" href="${prefix}/"><img src="${prefix}/docs/static/theme/favicon.svg" width="32" height="32" alt=""> Fixpoint</a> <nav aria-label="${texts('apiReference.main')}">${first}${wide}${menu}</nav></header>
      <nav class="documents" aria-label="${texts('apiReference.documents')}"><a href="${prefix}/docs/json">OpenAPI (JSON)</a> <a href="${prefix}/docs/yaml">OpenAPI (YAML)</a></nav>
      <noscript><p class="wrapper">${texts('apiReference.needsScript')} <a href="${prefix}/docs/json">OpenAPI (JSON)</a>.</p></noscript>`
}

/** The operations are in English on a page in each language. The plugin shows the other texts. */
function container(language: Language): string {
  const texts = textsIn(language)
  return `<div id="swagger-ui" lang="en" data-search="${texts('apiReference.search')}" data-search-hint="${texts('apiReference.searchHint')}" data-found="${texts('apiReference.found', { count: '{count}' })}" data-found-one="${texts('apiReference.foundOne')}">`
}

const pathPrefix = (urls: Urls) => new URL(urls.root).pathname.replace(/\/$/, '')

/** Swagger UI sets inline styles. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')
