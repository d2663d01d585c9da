import swaggerUi from '@fastify/swagger-ui'
import swaggerUiPackage from '@fastify/swagger-ui/package.json' with { type: 'json' }
import type { FastifyPluginAsync } from 'fastify'
import { readFileSync } from 'node:fs'
import type { OpenAPIV3_1 } from 'openapi-types'

import asyncApi from './async-api.json' with { type: 'json' }

import type { Links } from '../../html/links.ts'
import { sendPage } from '../../html/page.ts'
import { html } from '../../html/template.ts'
import { weakEtag } from '../../http/caching/validators.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import type { Texts } from '../../locales/texts.ts'
import type { Services } from '../../services.ts'

const readText = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const style = readText('./swagger-ui.css')
const plugin = readText('./swagger-ui-plugin.js')
const version = weakEtag(`${style}${plugin}${swaggerUiPackage.version}`).replaceAll(/\W/g, '').slice(1, 9)
const CACHE_S = 86_400

/** Swagger UI calls the function in the browser, after `swagger-ui-plugin.js` has defined the plugin. */
declare const referencePlugin: (system: unknown) => object

/** The OpenAPI document as a page at /docs, as JSON and as YAML below it, and the AsyncAPI document of streams and webhooks. */
export const referencePages: FastifyPluginAsync<Services> = async (app, { links, urls }) => {
  app.addHook('onSend', async ({ url }, reply) => {
    if (url.startsWith('/docs/static/') && reply.statusCode < 400) void reply.header('cache-control', `public, max-age=${CACHE_S}`)
  })
  // The page has the menu and the style of the other pages, in place of that of Swagger UI.
  app.addHook('preHandler', async (request, reply) => {
    if (request.routeOptions.url?.replace(/\/$/, '') !== '/docs') return
    const texts = pageTexts(request)
    const description = texts('apiReference.description')
    const page = {
      title: 'API',
      description,
      canonical: '/docs',
      hasOwnMain: true,
      body: body(links, texts),
    }
    return sendPage(request, reply, urls, page)
  })
  app.get('/docs/async.json', () => describeMessages(app.swagger() as OpenAPIV3_1.Document))
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: {
      layout: 'BaseLayout',
      docExpansion: 'list',
      deepLinking: true,
      tryItOutEnabled: true,
      filter: true,
      syntaxHighlight: false,
      plugins: [(system) => referencePlugin(system)],
    },
    theme: {
      css: [{ filename: 'swagger-ui.css', content: style }],
      js: [{ filename: 'swagger-ui-plugin.js', content: plugin }],
    },
    staticCSP: contentSecurityPolicy,
    // The page may be read at another host name, such as localhost, and calls the API at the public one.
    transformStaticCSP: (text) => text.replace("connect-src 'self'", `connect-src 'self' ${new URL(urls.root).origin}`),
  })
}

/** Returns the AsyncAPI document with the version and address of this service, and the schemas of the OpenAPI document to which its messages refer. */
function describeMessages({ components, info, servers }: OpenAPIV3_1.Document): object {
  const { host, protocol } = new URL(servers?.[0]?.url ?? '')
  const schemas: Record<string, unknown> = { ...asyncApi.components.schemas }
  const addSchemas = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (name in schemas) continue
      schemas[name] = components?.schemas?.[name]
      addSchemas(schemas[name])
    }
  }
  addSchemas(asyncApi.components.messages)
  return {
    ...asyncApi,
    info: { ...asyncApi.info, version: info.version },
    servers: { ...asyncApi.servers, api: { ...asyncApi.servers.api, host, protocol: protocol.slice(0, -1) } },
    components: { ...asyncApi.components, schemas },
  }
}

/** The operations are in English on a page in each language. The plugin shows the other texts. */
function body({ to }: Links, texts: Texts) {
  const file = (name: string) => to(`/docs/static/${name}`, { v: version })
  const script = (name: string) => html`<script src="${file(name)}" defer></script>`
  return html`<nav aria-label="${texts('apiReference.documents')}"><a href="${to('/docs/json')}">OpenAPI (JSON)</a> <a href="${to('/docs/yaml')}">OpenAPI (YAML)</a> <a href="${to('/docs/async.json')}">AsyncAPI (JSON)</a></nav>
<noscript><p>${texts('apiReference.needsScript')} <a href="${to('/docs/json')}">OpenAPI (JSON)</a>.</p></noscript>
<link rel="stylesheet" href="${file('swagger-ui.css')}"><link rel="stylesheet" href="${file('theme/swagger-ui.css')}">
<div id="swagger-ui" lang="en" data-filter="${texts('apiReference.search')}"></div>
${['swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js', 'theme/swagger-ui-plugin.js', 'swagger-initializer.js'].map(script)}`
}

/** Swagger UI sets inline styles. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')
