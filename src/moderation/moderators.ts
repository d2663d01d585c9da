import type { FastifyRequest } from 'fastify'

import { requireViewer, type Viewer } from '../http/auth/authentication.ts'
import { problems } from '../errors/problems.ts'
import { text } from '../errors/texts/text.ts'

/**
 * Returns the caller if they are a moderator. Moderators of any organisation may decide on all items, because most pending
 * items belong to no organisation (docs/adr/0015).
 * @throws Problem 401 for an anonymous caller, 403 for a caller who is no moderator
 */
export function requireModerator(request: FastifyRequest): Viewer {
  const viewer = requireViewer(request)
  if (!viewer.isModerator) throw problems.notPermitted(text('moderators_only'))
  return viewer
}

/** Rejects other callers in `preValidation`, before errors in the input are reported. */
export async function needsModerator(request: FastifyRequest): Promise<void> {
  requireModerator(request)
}
