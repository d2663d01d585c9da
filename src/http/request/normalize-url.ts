import type { FastifyInstance } from 'fastify'

import { text } from '../../locales/texts.ts'
import { syncHook, syncPreParsingHook } from './hooks.ts'
import { problems } from '../../errors/problems.ts'
import { apiPrefix, URL_MAX } from './urls.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Limit in characters for the URLs of a route; the default is `URL_MAX`. */
    urlMax?: number
  }
}

/**
 * Returns the URL that the router gets. A path with invalid percent-encoding is escaped, because the router would refuse it before any hook
 * runs; `refuseBadUrls` refuses it later.
 */
export function routableUrl({ url = '/' }: { readonly url?: string | undefined }): string {
  const path = toPath(url)
  return (isDecodable(path) ? canonicalPath(path) : path.replaceAll('%', '%25')) + url.slice(path.length)
}

const JSON_SUFFIX = /(?<=[^/])(?:\.|%2[Ee])(?:j|%6[Aa])(?:s|%73)(?:o|%6[Ff])(?:n|%6[Ee])(?=\/*$)/

/** Maps `.json` in the API to the path without it, and the OAuth token endpoint at the root to the API. */
function canonicalPath(path: string): string {
  const bare = path.replace(JSON_SUFFIX, '')
  if (/^\/oauth\/token\/*$/.test(bare)) return `${apiPrefix}${bare}`
  return path.startsWith(`${apiPrefix}/`) ? bare : path
}

/** Refuses requests with several Host headers (RFC 9112, 3.2), of which Node keeps the first; Node itself refuses HTTP/1.1 without one. */
export function refuseSeveralHosts(app: FastifyInstance): void {
  app.addHook(
    'onRequest',
    syncHook(({ raw: { rawHeaders } }) => {
      const hosts = rawHeaders.filter((name, n) => n % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host')
      if (hosts.length > 1) throw problems.badRequest(text('several_hosts'))
    }),
  )
}

/** Refuses invalid URLs after authentication and the rate limit, before bodies are read. */
export function refuseBadUrls(app: FastifyInstance): void {
  app.addHook(
    'preParsing',
    syncPreParsingHook((request) => {
      const { urlMax = URL_MAX } = request.routeOptions.config
      if (request.originalUrl.length > urlMax) throw problems.uriTooLong(urlMax)
      if (!isDecodable(toPath(request.originalUrl))) throw problems.badRequest(text('url_badly_encoded'))
    }),
  )
}

const toPath = (url: string) => /^[^?#]*/.exec(url)?.[0] ?? ''

function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
