import type { FastifyRequest } from 'fastify'

import { sessionOf } from '../identity/sessions.ts'
import type { Urls } from '../request/urls.ts'

/** What a request brings to say who asks. */
export type GivenCredentials =
  | { readonly kind: 'basic'; readonly email: string; readonly password: string }
  | { readonly kind: 'token'; readonly token: string }
  /** The cookie of our own pages. */
  | { readonly kind: 'session'; readonly secret: string }
  /** Credentials that nobody can have; they are wrong, and not the same as none. */
  | { readonly kind: 'unreadable'; readonly overHttp?: true }

const USER_PASS_MAX = 1_000

/**
 * The header decides (RFC 7617, RFC 6750), else the deprecated `access_token` parameter, else the cookie of our own pages; undefined where
 * there is none of them.
 */
export function credentialsOf(request: FastifyRequest, urls: Urls): GivenCredentials | undefined {
  const header = request.headers.authorization
  if (header !== undefined) return fromHeader(header)
  const token = tokenInUrl(request)
  if (token === undefined) {
    const secret = sessionOf(request, urls)
    return secret === undefined ? undefined : { kind: 'session', secret }
  }
  return fromParameter(request, token)
}

/** An `access_token` of the query or of a form. Over plain HTTP anybody on the way could read it: there it opens nothing. */
export function fromParameter({ protocol }: FastifyRequest, token: unknown): GivenCredentials {
  if (protocol !== 'https') return { kind: 'unreadable', overHttp: true }
  return typeof token === 'string' ? { kind: 'token', token } : { kind: 'unreadable' }
}

/** The deprecated parameter, used or not: an answer to an address that holds a token may be kept nowhere. */
export function tokenInUrl(request: FastifyRequest): unknown {
  return (request.query as { access_token?: unknown }).access_token
}

function fromHeader(header: string): GivenCredentials {
  const unreadable = { kind: 'unreadable' } as const
  const [, scheme = '', value = ''] = /^(\S+) +(\S+)$/.exec(header.trim()) ?? []
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return { kind: 'token', token: value }
    case 'basic': {
      const text = Buffer.from(value, 'base64').toString('utf8')
      const colon = text.indexOf(':')
      if (colon < 1 || text.length > USER_PASS_MAX || text.includes('\0')) return unreadable
      return { kind: 'basic', email: text.slice(0, colon), password: text.slice(colon + 1) }
    }
    default:
      return unreadable
  }
}
