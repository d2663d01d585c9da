import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import { isUnreachable } from '../database/postgres.ts'
import { Problem, problems } from './problems.ts'
import type { Urls } from './urls.ts'
import { problemOfValidation } from './validation.ts'

/** The one place where failures become answers. What is not a Problem is ours: it is logged whole and answered without detail. */
export function renderProblems(app: FastifyInstance, urls: Urls): void {
  app.setErrorHandler((error: unknown, request, reply) => {
    const problem = toProblem(error, request)
    if (problem.status >= 500) request.log.error({ err: error }, 'request failed')
    return send(problem, request, reply, urls)
  })
  app.setNotFoundHandler((request, reply) => {
    const allow = otherMethods(app, request)
    return send(allow ? problems.methodNotAllowed(allow) : problems.notFound('This address'), request, reply, urls)
  })
}

function send(problem: Problem, request: FastifyRequest, reply: FastifyReply, urls: Urls) {
  const { body } = problem
  const json =
    body.kind === 'message'
      ? { message: body.message, documentation_url: urls.documentation, request_id: request.id }
      : body.kind === 'errors'
        ? { errors: body.fields }
        : body.fields
  return reply
    .code(problem.status)
    .headers(problem.headers)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(json)
}

/** An address that answers other methods: 405 with the list, as RFC 9110 asks. */
function otherMethods(app: FastifyInstance, request: FastifyRequest): string {
  const url = request.url.split('?')[0] ?? '/'
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
  return methods.filter((method) => method !== request.method && app.findRoute({ method, url }) !== null).join(', ')
}

function toProblem(error: unknown, request: FastifyRequest): Problem {
  if (error instanceof Problem) return error
  const fault = error as Partial<FastifyError> & { code?: string; statusCode?: number }
  if (fault.validation)
    return problemOfValidation({ validation: fault.validation, validationContext: fault.validationContext ?? 'body' }, request)
  if (fault.code !== undefined && fault.code in ofFastify)
    return ofFastify[fault.code]?.(fault.message ?? '') ?? problems.internal()
  if (error instanceof SyntaxError && fault.statusCode === 400)
    return problems.unreadableBody(`The body is not valid JSON: ${fault.message ?? ''}`)
  if (isUnreachable(error) || fault.code === STATEMENT_TIMEOUT || fault.statusCode === 503) return problems.unavailable()
  return problems.internal()
}

const STATEMENT_TIMEOUT = '57014'

const ofFastify: Readonly<Record<string, (text: string) => Problem>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: (text) => problems.unreadableBody(text),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => problems.unreadableBody('The body is empty, though its type is application/json.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => problems.unreadableBody('The body is not as long as Content-Length says.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => problems.unsupportedMediaType(),
  FST_ERR_CTP_BODY_TOO_LARGE: () => problems.tooLarge('The body is too large.'),
  FST_ERR_BAD_URL: () => problems.badRequest('The address is not well formed.'),
  FST_ERR_MAX_PARAM_LENGTH: () => problems.notFound('This address'),
}
