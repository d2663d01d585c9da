import type { FastifyInstance } from 'fastify'

import { type Problem, problems } from '../../errors/problems.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/**
 * The problem of a request that no route takes: 405 with the methods of the address where it has others (RFC 9110, 15.5.6), else 404.
 * @param url as routes are looked up by, `routableUrl`
 */
export function unknownAddress(app: FastifyInstance, { method, url }: { readonly method: string; readonly url: string }): Problem {
  const path = url.split('?')[0] ?? '/'
  const allowed: string[] = METHODS.filter((one) => app.findRoute({ method: one, url: path }) !== null)
  // The address of a file that is not there takes the method, and it is the file that is missing.
  const isMissing = allowed.length === 0 || allowed.includes(method)
  return isMissing ? problems.notFound('This address') : problems.methodNotAllowed(allowed.join(', '))
}
