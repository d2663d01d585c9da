import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'

import packageJson from '../../package.json' with { type: 'json' }
import { describeOperations } from './describe-operations.ts'
import { apiPrefix, type Urls } from './urls.ts'

const description = `
Civic issues by area: residents report what is broken at a place, neighbours comment, follow and vote, city hall acknowledges and closes.

- **Say who you are**: every request needs a \`User-Agent\`. Reading needs no login; HTTP Basic or a Bearer token says who asks.
- **Coordinates** are WGS84 in degrees, points are GeoJSON (longitude first), times are ISO 8601 in UTC.
- **Areas** are given by \`lat\`+\`lng\`+\`zoom\`, \`place_url\`, the corners of a box, or \`watcher_token\`; the first complete form decides.
- **Lists** are cut by \`page\` and \`per_page\` (at most 100) and carry their exact total in \`metadata.pagination\`; follow \`next_page_url\`.
- **Ask again cheaply**: send \`ETag\` back as \`If-None-Match\` and an unchanged answer is an empty 304.
- **Limits**: \`RateLimit\` tells what is left. 429 says in \`Retry-After\` when to come back; after ten of them a client is blocked for an hour.
- **Failures** name the parameter and what is allowed there, or carry a message and a \`request_id\` to quote to us.
`.trim()

const tags = [
  { name: 'Issues', description: 'What is broken, where, and what became of it.' },
  { name: 'Comments', description: 'What people say about an issue.' },
  { name: 'Reporting', description: 'The forms that a report at a place fills in.' },
  { name: 'Users', description: 'Residents and officials, as everybody may see them.' },
  { name: 'Places', description: 'Cities, counties and other areas by name.' },
]

const securitySchemes = {
  basic: { type: 'http', scheme: 'basic', description: 'One of your e-mail addresses and your password.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'A token.' },
} as const

/** OpenAPI 3.1 made from the schemas of the routes: readable at /docs, for machines at /docs/json. Register before the routes. */
export async function addApiReference(app: FastifyInstance, urls: Urls): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Fixpoint',
        version: packageJson.version,
        description,
        license: { name: 'Data: CC BY-NC-SA 3.0 US', url: 'https://creativecommons.org/licenses/by-nc-sa/3.0/us/' },
      },
      tags,
      // Nobody may read, too.
      security: [{}, { basic: [] }, { bearer: [] }],
      components: { securitySchemes },
    },
    transform: ({ schema, url }) => ({ schema: url.startsWith(apiPrefix) ? schema : { ...schema, hide: true }, url }),
    transformObject: (document) => {
      const openapi = 'openapiObject' in document ? document.openapiObject : {}
      return describeOperations(openapi, urls)
    },
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    // Where a proxy serves us under a path, the page's own addresses begin with it.
    indexPrefix: new URL(urls.root).pathname.replace(/\/$/, ''),
    uiConfig: { layout: 'BaseLayout', docExpansion: 'list', deepLinking: true, tryItOutEnabled: true },
    theme: { title: 'Fixpoint API' },
    staticCSP: policy,
    // Whoever reads the page at another name of ours, such as localhost, tries it out at the one that it tells.
    transformStaticCSP: (text) => text.replace("connect-src 'self'", `connect-src 'self' ${new URL(urls.root).origin}`),
  })
}

/** The page brings all that it needs; the styles that its scripts set stand in the elements themselves. */
const policy = [
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
