import type { FastifyRequest } from 'fastify'

import { text } from '../locales/texts.ts'
import { requireViewer, type Viewer } from '../http/auth/authentication.ts'
import { problems } from '../errors/problems.ts'

/** Moderators of any organisation decide on all items (docs/adr/0015). @throws Problem 401 for anonymous callers, 403 for others */
export function requireModerator(request: FastifyRequest): Viewer {
  const viewer = requireViewer(request)
  if (!viewer.isModerator) throw problems.notPermitted(text('moderators_only'))
  return viewer
}

/** The hook runs in `preValidation`, before errors in the input are reported. */
export async function moderatorOnly(request: FastifyRequest): Promise<void> {
  requireModerator(request)
}
