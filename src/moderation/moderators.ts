import type { FastifyRequest } from 'fastify'

import { requireViewer, type Viewer } from '../http/auth/access.ts'
import { problems } from '../errors/problems.ts'

/**
 * Moderators of any organisation decide on everything, whose issue it may be: most of what is held belongs to the community, and nobody
 * would look at it otherwise (docs/adr, on moderation).
 * @throws Problem 401 when nobody is logged in, 403 for whoever is no moderator
 */
export function requireModerator(request: FastifyRequest): Viewer {
  const viewer = requireViewer(request)
  if (!viewer.isModerator) throw problems.notPermitted('This is for moderators.')
  return viewer
}

/** For `preValidation` of a route: who is no moderator learns that before anything about what was sent. */
export async function needsModerator(request: FastifyRequest): Promise<void> {
  requireModerator(request)
}
