import type { FastifyReply } from 'fastify'

import type { Database } from '../database/database.ts'
import { Problem, problems } from '../http/problems.ts'
import { findAnyEmail } from './queries.ts'

/**
 * Whoever changes the password says the present one, so that a browser left open does not cost the account.
 * @throws Problem 422 `{errors: {current_password}}`; 429 or 403 where no try is left
 */
export async function requirePassword(
  db: Database,
  userId: number,
  password: string | undefined,
  reply: FastifyReply,
): Promise<void> {
  const email = await findAnyEmail(db, userId)
  const wrong = problems.invalidErrors({ current_password: ['must be your present password, to set a new one'] })
  if (!password || email === undefined) throw wrong
  await reply.logIn(email, password).catch((error: unknown) => {
    throw error instanceof Problem && error.status === 401 ? wrong : error
  })
}
