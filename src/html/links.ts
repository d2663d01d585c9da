import type { FastifyReply, FastifyRequest } from 'fastify'

import { countForm } from '../http/auth/login.ts'
import { isCredentialParameter } from '../http/lists/pagination.ts'
import type { Urls } from '../http/request/urls.ts'

/** Links have no scheme and host, so that pages work under every host name. Canonical links use PUBLIC_URL. */
export interface Links {
  to(path: string, parameters?: Readonly<Record<string, string | number | undefined>>): string
  /** Returns the path of one of the service's own URLs; other URLs stay unchanged. */
  relative(url: string): string
}

export function createLinks(urls: Urls): Links {
  // The root is known only once the server listens.
  let known: string | undefined
  const prefix = () => (known ??= new URL(urls.root).pathname.replace(/\/$/, ''))
  return {
    to(path, parameters = {}) {
      const entries = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
      const query = new URLSearchParams(entries).toString()
      return `${prefix()}${path}${query === '' ? '' : `?${query}`}`
    },
    relative: (url) => (url.startsWith(`${urls.root}/`) ? `${prefix()}${url.slice(urls.root.length)}` : url),
  }
}

/** Returns a URL from user input if it is http or https, because `javascript:` URLs run code. */
export function toHttpUrl(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null
  return ['http:', 'https:'].includes(new URL(url).protocol) ? url : null
}

/** Longer paths are not returned to. */
export const RETURN_PATH_MAX = 2_000
const PLACEHOLDER_ORIGIN = 'http://own.invalid'

/** Returns a path of this service with its query, or '/' for anything that could lead to another site. */
export function safeReturnPath(path: unknown): string {
  if (typeof path !== 'string' || path.length > RETURN_PATH_MAX || !path.startsWith('/') || !URL.canParse(path, PLACEHOLDER_ORIGIN))
    return '/'
  const { origin, pathname, search, hash } = new URL(path, PLACEHOLDER_ORIGIN)
  // `/.//elsewhere.example` becomes `//elsewhere.example` when it is normalized.
  return origin === PLACEHOLDER_ORIGIN && /^\/(?!\/)/.test(pathname) ? pathname + search + hash : '/'
}

/** Returns a path without the tokens in its query: those of mails, and `watcher_token`. */
export function withoutCredentials(path: string): string {
  return withoutParameters(path, isCredential)
}

function withoutParameters(path: string, isRemoved: (name: string, value: string) => boolean): string {
  const [pathname = '', query] = path.split(/\?(.*)/s)
  if (query === undefined) return path
  // A string is cut at its separators, so that the other parameters keep their encoding.
  const kept = query
    .split('&')
    .filter((parameter) => [...new URLSearchParams(parameter)].every(([name, value]) => !isRemoved(name, value)))
  return kept.length === 0 ? pathname : `${pathname}?${kept.join('&')}`
}

/** A parameter such as `return_to` may have a path with a token. */
const isCredential = (name: string, value: string): boolean =>
  /(?:^|_)token$/i.test(name) || isCredentialParameter(name) || withoutCredentials(value) !== value

/** Redirects with 303 after a form, so that a reload does not send it again. */
export function seeOther(reply: FastifyReply, urls: Urls, path: string) {
  return reply.header('cache-control', 'private, no-store').redirect(createLinks(urls).to(path), 303)
}

/** Redirects to the login, which returns to this page, or to the page of the form. */
export function redirectToLogin(request: FastifyRequest, reply: FastifyReply, urls: Urls, formPath = request.url) {
  const return_to = withoutParameters(request.method === 'GET' ? request.url : formPath, isCredentialParameter)
  return seeOther(reply, urls, `/login?${new URLSearchParams({ return_to }).toString()}`)
}

/**
 * Returns a hook of pages that need a login. It sends other callers there, and counts changes against the rate limit of forms.
 * @param formPath path of the page of a form, with parameters such as `:id`; the default is that of the request
 */
export const requirePageLogin = (urls: Urls, formPath?: string) => async (request: FastifyRequest, reply: FastifyReply) => {
  const params = request.params as Readonly<Record<string, string>>
  const path = formPath?.replace(/:(\w+)/, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  if (!request.viewer) return redirectToLogin(request, reply, urls, path)
  if (request.method === 'POST') await countForm(reply)
}
