import swaggerUiPackage from '@fastify/swagger-ui/package.json' with { type: 'json' }
import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readFileSync } from 'node:fs'

import { weakEtag } from '../caching/conditional.ts'
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

/** Adds a header with links to the service, caching, and what a phone and a screen reader need. */
export function adaptReferencePage(docs: FastifyInstance, urls: Urls): void {
  const versions = new Map<boolean, string>()
  /** The session is not checked: the page shows nothing else of it. */
  const isLoggedIn = (request: FastifyRequest) => sessionSecret(request, urls) !== undefined
  const version = (loggedIn: boolean) => {
    const known = versions.get(loggedIn)
    if (known !== undefined) return known
    const parts = [docs.swagger(), style, plugin, icon, header(urls, loggedIn), swaggerUiPackage.version]
    const created = weakEtag(JSON.stringify(parts))
    versions.set(loggedIn, created)
    return created
  }
  const isFile = (url: string) => url.startsWith('/docs/static/')

  docs.addHook('onRequest', async (request, reply) => {
    if (!isFile(request.url)) void reply.headers({ etag: version(isLoggedIn(request)), vary: 'Cookie' })
  })
  docs.addHook('onSend', async (request, reply, payload) => {
    if (isFile(request.url) && reply.statusCode < 400) void reply.header('cache-control', `public, max-age=${CACHE_S}`)
    const isHtml = typeof payload === 'string' && String(reply.getHeader('content-type')).startsWith('text/html')
    if (!isHtml) return payload
    const v = version(false).replace(/\W/g, '').slice(1, 9)
    return payload
      .replace('<head>', `<head>\n      ${META}`)
      .replace('<body>', `<body>\n      ${header(urls, isLoggedIn(request))}`)
      .replaceAll(/(\/static\/[^"]+)"/g, `$1?v=${v}"`)
  })
}

const META =
  '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="description" content="The HTTP API of Fixpoint: every operation with its parameters and responses.">'

const header = (urls: Urls, isLoggedIn: boolean) => `<a class="skip" href="#operations">Skip to the operations</a>
      <header class="site"><a class="brand" href="${pathPrefix(urls)}/"><img src="${pathPrefix(urls)}/docs/static/theme/favicon.svg" width="32" height="32" alt=""> Fixpoint</a> <nav aria-label="Main">${pageLinks(urls, isLoggedIn)}</nav></header>
      <nav class="documents" aria-label="Documents"><a href="${pathPrefix(urls)}/docs/json">OpenAPI (JSON)</a> <a href="${pathPrefix(urls)}/docs/yaml">OpenAPI (YAML)</a></nav>
      <noscript><p class="wrapper">This page needs JavaScript. The same document without it: <a href="${pathPrefix(urls)}/docs/json">OpenAPI (JSON)</a>.</p></noscript>`

function pageLinks(urls: Urls, isLoggedIn: boolean): string {
  const account = isLoggedIn ? [['/account', 'Account']] : [['/login', 'Log in']]
  const links = [['/report', 'Report'], ['/', 'Map'], ['/places', 'Places'], ['/questions', 'Questions'], ...account]
  return links.map(([path = '', name = '']) => `<a href="${pathPrefix(urls)}${path}">${name}</a>`).join('')
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
