import type { FastifyReply, FastifyRequest } from 'fastify'

import type { Urls } from '../http/request/urls.ts'
import { linksOf } from './links.ts'

const PATH_MAX = 2_000
const OURS = 'http://own.invalid'

/** A path of this service with its query, as it was given; anything that might lead elsewhere becomes the first page. */
export function ownPath(given: unknown): string {
  if (typeof given !== 'string' || given.length > PATH_MAX || !given.startsWith('/') || !URL.canParse(given, OURS)) return '/'
  const { origin, pathname, search, hash } = new URL(given, OURS)
  // `/.//elsewhere.example` is such a path only until it is tidied up.
  return origin === OURS && /^\/(?!\/)/.test(pathname) ? pathname + search + hash : '/'
}

/** To a page after a form was sent: a reload of it sends nothing again. */
export function seeOther(reply: FastifyReply, urls: Urls, path: string) {
  return reply.header('cache-control', 'private, no-store').redirect(linksOf(urls).to(path), 303)
}

/** To the login, and back afterwards: to this page, or where a form was sent to the one that it stands on. */
export function logInFirst(request: FastifyRequest, reply: FastifyReply, urls: Urls, form = request.url) {
  const return_to = request.method === 'GET' ? request.url : form
  return seeOther(reply, urls, `/login?${new URLSearchParams({ return_to }).toString()}`)
}
