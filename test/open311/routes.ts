import type { TestApp } from '../helpers/use-app.ts'

/** Returns the paths of the routes of Open311 that are read, for example `/open311/v2/services/:code`. */
export function listReadRoutes(app: TestApp['fastify']): string[] {
  const parents: string[] = []
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = /^(.*?)[├└]── (\S+) \((.*)\)$/.exec(line) ?? []
      const depth = indent.length / 4
      const path = `${depth > 0 ? (parents[depth - 1] ?? '') : ''}${part}`.replace('//', '/')
      parents.splice(depth, Infinity, path)
      return methods.split(', ').includes('GET') && path.startsWith('/open311/') ? [path] : []
    })
}
