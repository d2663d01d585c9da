import type { FastifyReply } from 'fastify'

import type { Database } from '../database/database.ts'
import type { Verified } from '../http/access-queries.ts'
import { Problem, problems } from '../http/problems.ts'
import { findAnyEmail } from './queries.ts'

export const wrongPassword = () => problems.invalidErrors({ current_password: ['must be your present password, to set a new one'] })

/**
 * Whoever changes the password says the present one, so that a browser left open does not cost the account.
 * @throws Problem 422 `{errors: {current_password}}`; 429 or 403 where no try is left
 */
export async function requirePassword(
  db: Database,
  userId: number,
  password: string | undefined,
  reply: FastifyReply,
): Promise<Verified> {
  const email = await findAnyEmail(db, userId)
  if (!password || email === undefined) throw wrongPassword()
  const viewer = await reply.logIn(email, password).catch((error: unknown) => {
    throw error instanceof Problem && error.status === 401 ? wrongPassword() : error
  })
  // An address that two accounts claim logs in to one of them.
  if (viewer.id !== userId) throw wrongPassword()
  return viewer
}
