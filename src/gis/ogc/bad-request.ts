import type { FastifyError, FastifyRequest } from 'fastify'

import { text, type Text } from '../../locales/texts.ts'
import { Problem, problems } from '../../errors/problems.ts'
import { toValidationProblem } from '../../http/validation/validation.ts'

/** Returns the problem of one parameter (OGC 17-069r4, 7.6). */
export const badParameter = (name: string, reason: Text): Problem =>
  problems.badRequest(text('parameter_error', { name: name.slice(0, 100).toWellFormed().replaceAll('\0', ''), reason }))

/** Returns a problem with status 400 for invalid parameters, which are 422 elsewhere, and other errors unchanged. */
export function toBadRequest(error: unknown, request: FastifyRequest): unknown {
  const { validation, validationContext } = error as Partial<FastifyError> & { validationContext?: string }
  const problem = validation
    ? toValidationProblem({ validation, validationContext: validationContext ?? 'querystring' }, request)
    : error
  if (!(problem instanceof Problem) || problem.status !== 422 || problem.body.kind === 'message') return problem
  const errors = Object.entries(problem.body.fields).map(([name, reasons]) => {
    const [reason = text('not_allowed')] = [reasons].flat<(Text | readonly Text[])[]>() as readonly Text[]
    return text('parameter_error', { name, reason })
  })
  const [first = text('not_allowed'), ...others] = errors
  return problems.badRequest(others.reduce<Text>((before, error) => text('two_errors', { first: before, second: error }), first))
}
