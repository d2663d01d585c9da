import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { Database } from '../../database/database.ts'
import { type CredentialCheck, hashToken, newSecret } from './credentials.ts'
import type { Verified } from './viewer-queries.ts'
import type { TrustedDevices } from './trusted-devices.ts'
import { problems } from '../../errors/problems.ts'
import { isCrossSite, isSameOrigin, isRead } from '../request/same-origin.ts'
import { addSession, removeSession } from './session-queries.ts'
import type { Urls } from '../request/urls.ts'

/** Maximum that browsers accept. The row of the session decides when it ends. */
const COOKIE_MAX_AGE_S = 400 * 86_400
const SECRET = /^[\w-]{43}$/

const isHttps = ({ root }: Urls) => root.startsWith('https:')

/** Browsers refuse a `__Host-` cookie that another host of the domain or a page over plain HTTP sets. */
const nameOf = (name: 'session' | 'device', urls: Urls) => `${isHttps(urls) ? '__Host-' : ''}fixpoint_${name}`

const options = (urls: Urls): CookieSerializeOptions => ({
  path: '/',
  httpOnly: true,
  sameSite: 'strict',
  secure: isHttps(urls),
})

/**
 * Returns the secret of the session cookie. Reads count unless they come from another site; writes count only if they come from the
 * service's own pages.
 */
export function sessionOf(request: FastifyRequest, urls: Urls): string | undefined {
  const mayCount = isRead(request) ? !isCrossSite(request, urls) : isSameOrigin(request, urls)
  return mayCount ? secretOf(request, 'session', urls) : undefined
}

/** Returns the mark of a browser that has logged in before. It grants no access. */
export function deviceOf(request: FastifyRequest, urls: Urls): string | undefined {
  const secret = isCrossSite(request, urls) ? undefined : secretOf(request, 'device', urls)
  return secret && `device:${hashToken(secret)}`
}

function secretOf(request: FastifyRequest, name: 'session' | 'device', urls: Urls): string | undefined {
  const value = request.cookies[nameOf(name, urls)]
  return value !== undefined && SECRET.test(value) ? value : undefined
}

export interface SessionServices {
  readonly db: Database
  readonly urls: Urls
  readonly familiar: TrustedDevices
}

/**
 * Starts a session with a new id, which prevents session fixation, and ends the browser's previous session.
 * @throws Problem 401 if the password has changed since it was verified
 */
export async function startSession(request: FastifyRequest, reply: FastifyReply, services: SessionServices, owner: Verified) {
  const { db, urls, familiar } = services
  const before = secretOf(request, 'session', urls)
  if (before !== undefined) await removeSession(db, hashToken(before))
  const secret = newSecret()
  if (!(await addSession(db, owner, hashToken(secret)))) throw problems.wrongCredentials()
  request.writer = owner.id
  void reply.setCookie(nameOf('session', urls), secret, { ...options(urls), maxAge: COOKIE_MAX_AGE_S })

  const device = deviceOf(request, urls)
  if (device !== undefined && (await familiar.isNoted(owner.id, device))) return
  // The device gets a new secret because another person may know the old one.
  const other = newSecret()
  await familiar.note(owner.id, `device:${hashToken(other)}`)
  void reply.setCookie(nameOf('device', urls), other, { ...options(urls), maxAge: COOKIE_MAX_AGE_S })
}

export async function endSession(request: FastifyRequest, reply: FastifyReply, { db, urls }: Pick<SessionServices, 'db' | 'urls'>) {
  const secret = secretOf(request, 'session', urls)
  if (secret !== undefined) await removeSession(db, hashToken(secret))
  clearSession(reply, urls)
}

function clearSession(reply: FastifyReply, urls: Urls): void {
  void reply.clearCookie(nameOf('session', urls), options(urls)).header('cache-control', 'private, no-store')
}

/** Sets the viewer of pages. A caller with an expired session is anonymous, and the cookie is cleared. */
export function addPageViewer(pages: FastifyInstance, { credentials, urls }: { credentials: CredentialCheck; urls: Urls }): void {
  pages.addHook('onRequest', async (request, reply) => {
    const secret = sessionOf(request, urls)
    if (secret === undefined) return
    const viewer = await credentials.bySession(secret)
    if (!viewer) return clearSession(reply, urls)
    request.viewer = viewer
    request.tokenHash = hashToken(secret)
  })
}
