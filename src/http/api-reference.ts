import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'

import packageJson from '../../package.json' with { type: 'json' }
import { apiPrefix, type Urls } from './urls.ts'

/** OpenAPI 3.1 made from the schemas of the routes: readable at /docs, for machines at /docs/json. Register before the routes. */
export async function addApiReference(app: FastifyInstance, urls: Urls): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Fixpoint',
        version: packageJson.version,
        description: [
          'Civic issues by area. Residents report what is broken at a place; neighbours comment, follow and vote; city hall acknowledges and closes.',
          'Every request needs a User-Agent. Coordinates are WGS84. Lists carry their exact totals.',
        ].join('\n\n'),
        license: { name: 'Data: CC BY-NC-SA 3.0 US', url: 'https://creativecommons.org/licenses/by-nc-sa/3.0/us/' },
      },
      tags: ['Issues', 'Comments', 'Reporting', 'Users', 'Places'].map((name) => ({ name })),
      components: {
        securitySchemes: {
          basic: { type: 'http', scheme: 'basic', description: 'One of your e-mail addresses and your password.' },
          bearer: { type: 'http', scheme: 'bearer', description: 'A token.' },
        },
      },
    },
    transform: ({ schema, url }) => ({ schema: url.startsWith(apiPrefix) ? schema : { ...schema, hide: true }, url }),
    transformObject: (document) => {
      const openapi = 'openapiObject' in document ? document.openapiObject : {}
      // Where the service is reached may be known only once it listens, so the reference is asked for it each time.
      return { ...openapi, servers: [{ url: urls.root }], paths: withCommaLists(openapi.paths ?? {}) } as typeof openapi
    },
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: { docExpansion: 'list', deepLinking: true, tryItOutEnabled: true },
    theme: { title: 'Fixpoint API' },
    staticCSP: true,
  })
}

interface Parameter {
  readonly in?: string
  readonly schema?: { readonly type?: unknown }
}

/** Lists in a query are written with commas, which OpenAPI calls style form without explode. */
function withCommaLists<Paths extends object>(paths: Paths): Paths {
  const isList = (parameter: Parameter) => parameter.in === 'query' && parameter.schema?.type === 'array'
  const operations = Object.values(paths).flatMap((path) => Object.values(path as Record<string, { parameters?: Parameter[] }>))
  for (const operation of operations) {
    operation.parameters =
      operation.parameters?.map((parameter) => (isList(parameter) ? { ...parameter, style: 'form', explode: false } : parameter)) ??
      []
  }
  return paths
}
