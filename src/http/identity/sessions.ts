import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { Database } from '../../database/database.ts'
import { type CredentialCheck, hashToken, newSecret } from './credentials.ts'
import type { Verified } from './viewer-queries.ts'
import type { TrustedDevices } from './trusted-devices.ts'
import { problems } from '../../errors/problems.ts'
import { isFromAnotherSite, isFromOurPages, isRead } from '../request/same-origin.ts'
import { addSession, removeSession } from './session-queries.ts'
import type { Urls } from '../request/urls.ts'

/** As long as browsers keep one; when a session ends, its row says. */
const COOKIE_MAX_AGE_S = 400 * 86_400
const SECRET = /^[\w-]{43}$/

const isHttps = ({ root }: Urls) => root.startsWith('https:')

/** `__Host-` makes browsers refuse a cookie that a neighbour under the same domain, or a page by plain HTTP, would plant. */
const nameOf = (name: 'session' | 'device', urls: Urls) => `${isHttps(urls) ? '__Host-' : ''}fixpoint_${name}`

const options = (urls: Urls): CookieSerializeOptions => ({
  path: '/',
  httpOnly: true,
  sameSite: 'strict',
  secure: isHttps(urls),
})

/**
 * The secret of the session that a request brings. A read may come from anywhere but another site, a write must come from a page of
 * ours; the cookie of any other request is not looked at.
 */
export function sessionOf(request: FastifyRequest, urls: Urls): string | undefined {
  const mayCount = isRead(request) ? !isFromAnotherSite(request, urls) : isFromOurPages(request, urls)
  return mayCount ? secretOf(request, 'session', urls) : undefined
}

/** What a browser that was logged in before brings to show that it is no stranger; it opens nothing. */
export function deviceOf(request: FastifyRequest, urls: Urls): string | undefined {
  const secret = isFromAnotherSite(request, urls) ? undefined : secretOf(request, 'device', urls)
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
 * Logs a browser in, under a new id whatever it brought: one that somebody else planted there opens nothing. The session that it had ends.
 * @throws Problem 401 where the password that was verified has just become another one
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
  // Never the one that was brought, which may be somebody else's as well.
  const other = newSecret()
  await familiar.note(owner.id, `device:${hashToken(other)}`)
  void reply.setCookie(nameOf('device', urls), other, { ...options(urls), maxAge: COOKIE_MAX_AGE_S })
}

/** Logs this browser out, in the database too. */
export async function endSession(request: FastifyRequest, reply: FastifyReply, { db, urls }: Pick<SessionServices, 'db' | 'urls'>) {
  const secret = secretOf(request, 'session', urls)
  if (secret !== undefined) await removeSession(db, hashToken(secret))
  clearSession(reply, urls)
}

function clearSession(reply: FastifyReply, urls: Urls): void {
  void reply.clearCookie(nameOf('session', urls), options(urls)).header('cache-control', 'private, no-store')
}

/** Gives pages a viewer. A session that has ended is nobody, and its cookie goes away. */
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
