import type { FastifyReply } from 'fastify'

import type { Verified } from '../http/identity/viewer-queries.ts'
import { problems } from '../errors/problems.ts'

export const wrongPassword = () => problems.invalidErrors({ current_password: ['must be your present password, to set a new one'] })

/**
 * Whoever changes the password says the present one, so that a browser left open does not cost the account.
 * @throws Problem 422 `{errors: {current_password}}`; 429 or 403 where no try is left
 */
export async function requirePassword(userId: number, password: string | undefined, reply: FastifyReply): Promise<Verified> {
  const viewer = password ? await reply.checkOwnPassword(userId, password) : undefined
  if (!viewer) throw wrongPassword()
  return viewer
}
