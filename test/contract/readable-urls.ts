import type { TestApp } from '../helpers/use-app.ts'
import type { Reference } from './openapi-responses.ts'

/** The parts of a response with changes that differ in every request: a cursor has the present time, and clients connect again after a random one. */
export const CURSOR = /[\w-]{60,}|retry: \d+/g

/** Returns all GET URLs of API and pages, with each of these ids and each of these queries (`''` or `?…`). */
export function listReadableUrls(app: TestApp['fastify'], ids: readonly string[], queries: readonly string[]): string[] {
  const { paths } = app.swagger() as unknown as Reference
  const apiPaths = Object.entries(paths).flatMap(([path, methods]) => ('get' in methods ? [path] : []))
  const pages = app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => /── (\/\S*) \(.*GET/.exec(line)?.[1] ?? [])
  const all = [
    ...apiPaths,
    ...pages,
    '/issues/{id}',
    '/places/{id}/report',
    '/places/{id}',
    '/i/{id}',
    '/report',
    '/moderation/{id}',
  ]
  return [...new Set(all)].flatMap((path) => {
    const named = /[{:*]/.test(path) ? ids : ['']
    return named.flatMap((id) => queries.map((query) => `${path.replaceAll(/\{\w+\}|:\w+|\*/g, id)}${query}`))
  })
}
