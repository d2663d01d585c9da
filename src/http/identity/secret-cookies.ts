import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'

import type { Urls } from '../request/urls.ts'

type SecretCookie = 'session' | 'device' | 'draft' | 'webhook'

const SECRET = /^[\w-]{43}$/

const isHttps = ({ root }: Urls) => root.startsWith('https:')

/** Browsers refuse a `__Host-` cookie that another host of the domain or a page over plain HTTP sets. */
const cookieName = (name: SecretCookie, urls: Urls) => `${isHttps(urls) ? '__Host-' : ''}fixpoint_${name}`

const cookieOptions = (urls: Urls): CookieSerializeOptions => ({
  path: '/',
  httpOnly: true,
  sameSite: 'strict',
  secure: isHttps(urls),
})

/** Returns the secret of a cookie that this service set, or undefined. */
export function readSecretCookie(request: FastifyRequest, name: SecretCookie, urls: Urls): string | undefined {
  const value = request.cookies[cookieName(name, urls)]
  return value !== undefined && SECRET.test(value) ? value : undefined
}

export function setSecretCookie(
  reply: FastifyReply,
  name: SecretCookie,
  urls: Urls,
  { secret, maxAge_s }: { readonly secret: string; readonly maxAge_s: number },
): void {
  void reply.setCookie(cookieName(name, urls), secret, { ...cookieOptions(urls), maxAge: maxAge_s })
}

export function clearSecretCookie(reply: FastifyReply, name: SecretCookie, urls: Urls): void {
  void reply.clearCookie(cookieName(name, urls), cookieOptions(urls))
}
