import type { FastifyReply } from 'fastify'

import { text } from '../locales/texts.ts'
import type { VerifiedAccount } from '../http/identity/viewer-queries.ts'
import { problems } from '../errors/problems.ts'

export const wrongPassword = () => problems.invalidErrors({ current_password: [text('current_password_wrong')] })

/**
 * Verifies the current password, so that an unattended session is not enough to take over the account.
 * @throws Problem 422 `{errors: {current_password}}`; 429 or 403 if the login is throttled
 */
export async function requirePassword(userId: number, password: string | undefined, reply: FastifyReply): Promise<VerifiedAccount> {
  const viewer = password ? await reply.checkOwnPassword(userId, password) : undefined
  if (!viewer) throw wrongPassword()
  return viewer
}
