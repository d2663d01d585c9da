import type { FastifyInstance } from 'fastify'

import { beforeParsing } from './hooks.ts'
import { problems } from '../../errors/problems.ts'
import { apiPrefix } from './urls.ts'

export const ADDRESS_MAX = 8_000

/**
 * What routes are looked up by. A path whose percent-encoding is broken matches no route and would be refused before anything is
 * counted, logged or given an id; with its percent signs encoded it goes the way of all requests, until `refuseBadAddresses`.
 */
export function routableUrl({ url = '/' }: { readonly url?: string | undefined }): string {
  const path = pathOf(url)
  return (isDecodable(path) ? canonicalPath(path) : path.replaceAll('%', '%25')) + url.slice(path.length)
}

/** `.json`, of which each character may be percent-encoded (RFC 3986, 2.3), after a segment of the path and before slashes. */
const JSON_SUFFIX = /(?<=[^/])(?:\.|%2[Ee])(?:j|%6[Aa])(?:s|%73)(?:o|%6[Ff])(?:n|%6[Ee])(?=\/*$)/

/** One path for each resource: `.json` at the end of an API path means the path without it, and OAuth clients ask for tokens at the root. */
function canonicalPath(path: string): string {
  const bare = path.replace(JSON_SUFFIX, '')
  if (/^\/oauth\/token\/*$/.test(bare)) return `${apiPrefix}${bare}`
  return path.startsWith(`${apiPrefix}/`) ? bare : path
}

/** After credentials and counting, before bodies are read. */
export function refuseBadAddresses(app: FastifyInstance): void {
  app.addHook(
    'preParsing',
    beforeParsing((request) => {
      if (request.originalUrl.length > ADDRESS_MAX) throw problems.uriTooLong()
      if (!isDecodable(pathOf(request.originalUrl))) throw problems.badRequest('The percent-encoding of the address is broken.')
    }),
  )
}

const pathOf = (url: string) => /^[^?#]*/.exec(url)?.[0] ?? ''

function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
