import type { FastifyReply, FastifyRequest } from 'fastify'

import type { Urls } from '../http/request/urls.ts'
import { createLinks } from './links.ts'

const PATH_MAX = 2_000
const PLACEHOLDER_ORIGIN = 'http://own.invalid'

/** Returns a path of this service with its query, or '/' for anything that could lead to another site. */
export function safeReturnPath(path: unknown): string {
  if (typeof path !== 'string' || path.length > PATH_MAX || !path.startsWith('/') || !URL.canParse(path, PLACEHOLDER_ORIGIN))
    return '/'
  const { origin, pathname, search, hash } = new URL(path, PLACEHOLDER_ORIGIN)
  // `/.//elsewhere.example` becomes `//elsewhere.example` when it is normalized.
  return origin === PLACEHOLDER_ORIGIN && /^\/(?!\/)/.test(pathname) ? pathname + search + hash : '/'
}

/** Redirects with 303 after a form, so that a reload does not send it again. */
export function seeOther(reply: FastifyReply, urls: Urls, path: string) {
  return reply.header('cache-control', 'private, no-store').redirect(createLinks(urls).to(path), 303)
}

/** Redirects to the login, which returns to this page, or to the page of the form. */
export function redirectToLogin(request: FastifyRequest, reply: FastifyReply, urls: Urls, formPath = request.url) {
  const return_to = request.method === 'GET' ? request.url : formPath
  return seeOther(reply, urls, `/login?${new URLSearchParams({ return_to }).toString()}`)
}
