import type { TestApp } from '../../helpers/use-app.ts'

/** Routes that answer with data, a file or a redirection. */
const withoutPage = [
  /^GET \/(?:basemap|exports|feeds|files|health|map|tiles)(?:\/|$)/,
  /^(?:GET|POST) \/open311(?:\/|$)/,
  /^GET \/(?:metrics|favicon\.ico|robots\.txt|work\.csv|i\/:code)$/,
  /^GET \/sitemap/,
  /^GET \/data\/(?:catalog|dictionary)\.json/,
  /^GET \/(?:manifest\.webmanifest|service-worker\.js)$/,
  /^POST \/report\/photos$/,
  /^GET \/ogc\/.*:tileCol$/,
  /^GET \/ogc\/collections\/[^/]+\/schema\//,
  /^(?:GET|POST) \/ops\/(?:trace$|health|dead-letters\/)/,
  /^POST \/ops\/queue\//,
  /^POST \/(?:language|logout|account\/data\/export)$/,
  /^GET \/issues\/(?::id\/)?map\.png$/,
  /^GET \/report\/(?:map\.svg|draft\/pictures\/:number)$/,
  // Swagger UI is a program in English.
  /^GET \/docs/,
  // Addresses of forms lead back to the page of the form.
  /^GET \/report\/draft\/(?:discard|mail|publish)$/,
  /^GET \/organizations\/:id\/manage\/members\/(?:invite|remove|role|withdraw)/,
  /^GET \/organizations\/:id\/manage\/.*\/(?:preview|questions|remove|up)$/,
  /^GET \/issues\/:id\/(?:acknowledge|assignee|close|comments|follow|merge|notes|open|preview|priority|same|target|transfer|type|unmerge|vote)/,
  /^GET \/questions\/:id\/answers$/,
  /^GET \/answers\/:id\/(?:accept|vote)/,
]

/** Returns the routes with pages, for example `GET /issues/:id`: all that are not in the API and not in `withoutPage`. */
export function listPageRoutes(app: TestApp['fastify']): string[] {
  const parents: string[] = []
  const routes = app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = /^(.*?)[├└]── (\S+) \((.*)\)$/.exec(line) ?? []
      const depth = indent.length / 4
      const path = `${depth > 0 ? (parents[depth - 1] ?? '') : ''}${part}`.replace('//', '/')
      parents.splice(depth, Infinity, path)
      return ['GET', 'POST'].filter((method) => methods.split(', ').includes(method)).map((method) => `${method} ${path}`)
    })
  return routes.filter((route) => !/ \/(?:api\/|\*)/.test(route) && !withoutPage.some((pattern) => pattern.test(route)))
}

/** Returns the route of a path, or undefined. Parts of a path that a route names come before its parameters. */
export function findRoute(routes: readonly string[], method: string, path: string): string | undefined {
  const [pathname = ''] = path.split('?')
  const matching = routes.filter((route) => new RegExp(`^${route.replaceAll(/:\w+/g, '[^/]+')}$`).test(`${method} ${pathname}`))
  return matching.sort((a, b) => a.split(':').length - b.split(':').length)[0]
}
