import type { FastifyInstance } from 'fastify'

import { type Problem, problems } from '../../errors/problems.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Returns 405 if the path has other methods (RFC 9110, 15.5.6), otherwise 404. The URL is rewritten by `routableUrl`. */
export function unknownRouteProblem(
  app: FastifyInstance,
  { method, url }: { readonly method: string; readonly url: string },
): Problem {
  const path = url.split('?')[0] ?? '/'
  const allowed: string[] = METHODS.filter((one) => app.findRoute({ method: one, url: path }) !== null)
  const isMissing = allowed.length === 0 || allowed.includes(method)
  return isMissing ? problems.notFound('this_address') : problems.methodNotAllowed(allowed.join(', '))
}
