import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { Database } from '../../database/database.ts'
import { type CredentialCheck, hashToken, newSecret } from './credentials.ts'
import type { VerifiedAccount } from './viewer-queries.ts'
import type { TrustedDevices } from './trusted-devices.ts'
import { problems } from '../../errors/problems.ts'
import { isRead } from '../request/hooks.ts'
import { isCrossSite, isSameOrigin } from '../request/browser-security.ts'
import { clearSecretCookie, readSecretCookie, setSecretCookie } from './secret-cookies.ts'
import { addSession, removeSession } from './session-queries.ts'
import type { Urls } from '../request/urls.ts'

/** Maximum that browsers accept. The row of the session decides when it ends. */
const COOKIE_MAX_AGE_S = 400 * 86_400

/** Returns the cookie's secret: for reads unless another site caused them, for writes only if the service's own page did. */
export function sessionSecret(request: FastifyRequest, urls: Urls): string | undefined {
  const isAccepted = isRead(request) ? !isCrossSite(request, urls) : isSameOrigin(request, urls)
  return isAccepted ? readSecretCookie(request, 'session', urls) : undefined
}

/** Returns the id of a browser that has logged in before. It grants no access. */
export function deviceId(request: FastifyRequest, urls: Urls): string | undefined {
  const secret = isCrossSite(request, urls) ? undefined : readSecretCookie(request, 'device', urls)
  return secret && `device:${hashToken(secret)}`
}

interface SessionServices {
  readonly db: Database
  readonly urls: Urls
  readonly trustedDevices: TrustedDevices
}

/** Starts a session with a new id against session fixation. @throws Problem 401 if the password has changed since its check */
export async function startSession(
  request: FastifyRequest,
  reply: FastifyReply,
  services: SessionServices,
  owner: VerifiedAccount,
) {
  const { db, urls, trustedDevices } = services
  const previousSecret = readSecretCookie(request, 'session', urls)
  if (previousSecret !== undefined) await removeSession(db, hashToken(previousSecret))
  const secret = newSecret()
  if (!(await addSession(db, owner, hashToken(secret)))) throw problems.wrongCredentials()
  request.writerId = owner.id
  setSecretCookie(reply, 'session', urls, { secret, maxAge_s: COOKIE_MAX_AGE_S })

  const device = deviceId(request, urls)
  if (device !== undefined && (await trustedDevices.find(owner.id, [device]))) return
  // The device gets a new secret because another person may know the old one.
  const newDevice = newSecret()
  await trustedDevices.trust(owner.id, `device:${hashToken(newDevice)}`)
  setSecretCookie(reply, 'device', urls, { secret: newDevice, maxAge_s: COOKIE_MAX_AGE_S })
}

export async function endSession(request: FastifyRequest, reply: FastifyReply, { db, urls }: Pick<SessionServices, 'db' | 'urls'>) {
  const secret = readSecretCookie(request, 'session', urls)
  if (secret !== undefined) await removeSession(db, hashToken(secret))
  clearSession(reply, urls)
}

function clearSession(reply: FastifyReply, urls: Urls): void {
  clearSecretCookie(reply, 'session', urls)
  void reply.header('cache-control', 'private, no-store')
}

export function addPageViewer(app: FastifyInstance, { credentials, urls }: { credentials: CredentialCheck; urls: Urls }): void {
  app.addHook('onRequest', async (request, reply) => {
    const secret = sessionSecret(request, urls)
    if (secret === undefined) return
    const viewer = await credentials.bySession(secret)
    if (!viewer) return clearSession(reply, urls)
    request.viewer = viewer
    request.tokenHash = hashToken(secret)
  })
}
