import type { FastifyInstance, FastifyRequest } from 'fastify'

import { withoutWaiting } from './hooks.ts'
import { problems } from '../../errors/problems.ts'
import { apiPrefix, type Urls } from './urls.ts'

/** Changes nothing, whoever asks. */
export const isRead = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

/** Browsers say where a request comes from, scripts and curl do not. */
export function isFromAnotherSite(request: FastifyRequest, urls: Urls): boolean {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const { origin } = request.headers
  return origin !== undefined && origin !== originOf(urls)
}

/** Only a page of ours can have brought this about: a browser says so. */
export function isFromOurPages(request: FastifyRequest, urls: Urls): boolean {
  const site = request.headers['sec-fetch-site']
  return site === undefined ? request.headers.origin === originOf(urls) : site === 'same-origin'
}

const originOf = ({ root }: Urls) => new URL(root).origin

/**
 * Every write outside of the API must come from a page of ours; the one place that says so. Who says nothing of where it comes from is no
 * browser, as long as no cookie is sent: mail programs unsubscribe like that (RFC 8058). The API has rules of its own (access.ts).
 */
export function guardForms(app: FastifyInstance, urls: Urls): void {
  app.addHook(
    'onRequest',
    withoutWaiting((request) => {
      if (isRead(request) || request.server.prefix.startsWith(apiPrefix) || request.routeOptions.config.bringsToken) return
      const { 'sec-fetch-site': site, origin, cookie } = request.headers
      const saysNothing = site === undefined && origin === undefined && cookie === undefined
      if (!saysNothing && !isFromOurPages(request, urls)) throw problems.foreignForm(urls.root)
    }),
  )
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The form brings the token of a link in a mail, which no other site knows, and is judged by it alone. Its page sends no referrer, and
     * over plain HTTP a browser then says `Origin: null`.
     */
    bringsToken?: true
  }
}
