import type { FastifyReply, FastifyRequest } from 'fastify'

import type { Urls } from '../http/request/urls.ts'
import { createLinks } from './links.ts'

const PATH_MAX = 2_000
const PLACEHOLDER_ORIGIN = 'http://own.invalid'

/** A path of this service with its query, as it was given; anything that might lead elsewhere becomes the first page. */
export function safeReturnPath(path: unknown): string {
  if (typeof path !== 'string' || path.length > PATH_MAX || !path.startsWith('/') || !URL.canParse(path, PLACEHOLDER_ORIGIN))
    return '/'
  const { origin, pathname, search, hash } = new URL(path, PLACEHOLDER_ORIGIN)
  // `/.//elsewhere.example` is such a path only until it is tidied up.
  return origin === PLACEHOLDER_ORIGIN && /^\/(?!\/)/.test(pathname) ? pathname + search + hash : '/'
}

/** To a page after a form was sent: a reload of it sends nothing again. */
export function seeOther(reply: FastifyReply, urls: Urls, path: string) {
  return reply.header('cache-control', 'private, no-store').redirect(createLinks(urls).to(path), 303)
}

/** To the login, and back afterwards: to this page, or where a form was sent to the one that it stands on. */
export function redirectToLogin(request: FastifyRequest, reply: FastifyReply, urls: Urls, formPath = request.url) {
  const return_to = request.method === 'GET' ? request.url : formPath
  return seeOther(reply, urls, `/login?${new URLSearchParams({ return_to }).toString()}`)
}
