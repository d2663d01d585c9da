import type { FastifyInstance, FastifyRequest } from 'fastify'

import { isRead, syncHook } from './hooks.ts'
import { problems } from '../../errors/problems.ts'
import { apiPrefix, type Urls } from './urls.ts'

/** Returns whether a browser reports that another site caused the request. Scripts and curl report nothing. */
export function isCrossSite(request: FastifyRequest, urls: Urls): boolean {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const { origin } = request.headers
  return origin !== undefined && origin !== publicOrigin(urls)
}

/** Returns whether a browser reports that the service's own page caused the request. */
export function isSameOrigin(request: FastifyRequest, urls: Urls): boolean {
  const site = request.headers['sec-fetch-site']
  return site === undefined ? request.headers.origin === publicOrigin(urls) : site === 'same-origin'
}

const publicOrigin = ({ root }: Urls) => new URL(root).origin

/** A request without cookies and without an origin is no browser's and passes, such as one-click unsubscribe (RFC 8058). */
export function addCsrfProtection(app: FastifyInstance, urls: Urls): void {
  app.addHook(
    'onRequest',
    syncHook((request) => {
      if (isRead(request) || request.server.prefix.startsWith(apiPrefix)) return
      if (request.routeOptions.config.hasMailToken || request.routeOptions.config.ignoresCookies) return
      const { 'sec-fetch-site': site, origin, cookie } = request.headers
      const hasNoBrowserHeaders = site === undefined && origin === undefined && cookie === undefined
      if (!hasNoBrowserHeaders && !isSameOrigin(request, urls)) throw problems.crossSiteForm(urls.root)
    }),
  )
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The token of a link in a mail replaces the CSRF check: its page sends no referrer, so browsers may send `Origin: null`. */
    hasMailToken?: true
    /** The route accepts no credentials that a browser sends by itself, and checks the origin of anonymous callers. */
    ignoresCookies?: true
  }
}
