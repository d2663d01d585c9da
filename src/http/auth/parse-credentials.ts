import type { FastifyRequest } from 'fastify'

import { sessionSecret } from '../identity/sessions.ts'
import { type Problem, problems } from '../../errors/problems.ts'
import type { Urls } from '../request/urls.ts'
import { didYouMean } from '../validation/misspelt-parameters.ts'
import { isSpellingOf } from '../request/similar-names.ts'
import { invalid } from '../validation/validation.ts'

export type ParsedCredentials =
  | { readonly kind: 'basic'; readonly email: string; readonly password: string }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'session'; readonly secret: string }
  /** `problem` replaces the response for wrong credentials. */
  | { readonly kind: 'unreadable'; readonly problem?: Problem }

const TOKEN_NAMES = ['access_token']
const USER_PASS_MAX = 1_000

/** Returns the credentials of `Authorization` (RFC 7617, RFC 6750), then `access_token`, then the session cookie. */
export function parseCredentials(request: FastifyRequest, urls: Urls): ParsedCredentials | undefined {
  const misspelt = misspeltTokenProblem(request, Object.keys(request.query as object))
  if (misspelt) return { kind: 'unreadable', problem: misspelt }
  const header = request.headers.authorization
  if (header !== undefined) return parseAuthorizationHeader(header)
  const token = tokenInQuery(request)
  if (token === undefined) {
    const secret = sessionSecret(request, urls)
    return secret === undefined ? undefined : { kind: 'session', secret }
  }
  return parseTokenParameter(request, token)
}

/** Returns the problem of a misspelt `access_token` among the names of a query or a form, which could otherwise end up in URLs and logs. */
export function misspeltTokenProblem(
  request: FastifyRequest,
  names: readonly string[],
  known: readonly string[] = TOKEN_NAMES,
): Problem | undefined {
  const misspelt = names.flatMap((name) => {
    const meant = known.includes(name) ? undefined : known.find((token) => isSpellingOf(token, name))
    return meant === undefined ? [] : [[name, didYouMean([meant])] as const]
  })
  return misspelt.length === 0 ? undefined : invalid(request, Object.fromEntries(misspelt))
}

/** Plain HTTP exposes a token in the query or a form, so there it is refused. */
export function parseTokenParameter({ protocol }: FastifyRequest, token: unknown): ParsedCredentials {
  if (protocol !== 'https') return { kind: 'unreadable', problem: problems.tokenOverHttp() }
  return typeof token === 'string' ? { kind: 'token', token } : { kind: 'unreadable' }
}

/** Returns the parameter even if other credentials take precedence: its URL makes the response uncacheable. */
export function tokenInQuery(request: FastifyRequest): unknown {
  return (request.query as { access_token?: unknown }).access_token
}

function parseAuthorizationHeader(header: string): ParsedCredentials {
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
