import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'

import { failsWith, type FailureStatus } from '../schema/fields.ts'
import { requireLogin, requireViewer, type Viewer } from './authentication.ts'

interface Deletion<Params extends TSchema> {
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly params: Params
  /** The description of the response 204. */
  readonly done: string
  readonly fails?: readonly FailureStatus[]
  readonly act: (viewer: Viewer, params: Static<Params>, request: FastifyRequest) => Promise<unknown>
}

/** Adds a DELETE for users who are logged in. Its answer has no content. */
export function addDeletion<Params extends TSchema>(
  app: FastifyInstance,
  { path, done, fails = [404, 422], act, ...documentation }: Deletion<Params>,
): void {
  const response = { 204: { type: 'null', description: done }, ...failsWith(...fails) }
  app.delete(path, { onRequest: requireLogin, schema: { ...documentation, response } }, async (request, reply) => {
    await act(requireViewer(request), request.params as Static<Params>, request)
    return reply.code(204).send(null)
  })
}
