import type { FastifyInstance, FastifyError, FastifyReply, FastifyRequest } from 'fastify'

import { isTimeout, isUnreachable } from '../../database/connection-errors.ts'
import { isConflict } from '../../database/with-prisma.ts'
import { Problem, problems, toProblemJson } from '../../errors/problems.ts'
import { isDiskFull, isOutOfFiles } from '../../errors/resource-exhaustion.ts'
import { type Language, text } from '../../locales/texts.ts'
import { isRead } from '../request/hooks.ts'
import type { Urls } from '../request/urls.ts'
import { toValidationProblem } from '../validation/validation.ts'
import { pageLanguage } from './text-language.ts'
import { negotiateLanguage } from '../formats/content-types.ts'

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

/** Renders a problem as an HTML page. It is passed in, because `http` may not import pages. */
export type ProblemPage = (
  problem: Problem,
  request: FastifyRequest,
  urls: Urls,
  language: Language,
) => { text: string; headers: Record<string, string> }

/** An unexpected error is logged in full, and its response has no details. Callers that prefer HTML get the `page`. */
export function renderProblems(app: FastifyInstance, urls: Urls, page?: ProblemPage): void {
  app.setErrorHandler((error: unknown, request, reply) => {
    const problem = toProblem(error, request)
    if (problem.status >= 500 && !isOverloadRefusal(error)) request.log.error({ err: error }, 'request failed')
    return send(problem, request, reply, urls, page)
  })
  app.setNotFoundHandler((request, reply) => send(unknownRouteProblem(app, request), request, reply, urls, page))
}

function send(problem: Problem, request: FastifyRequest, reply: FastifyReply, urls: Urls, page: ProblemPage | undefined) {
  // JSON is first because it is the default for `*/*`.
  const isPage = page !== undefined && request.accepts().type(['json', 'html']) === 'html'
  const language = isPage ? pageLanguage(request) : negotiateLanguage(request)
  void reply.code(problem.status).headers(problem.headers).header('content-language', language)
  if (page) void reply.header('vary', 'Accept, Accept-Language')
  if (isPage) {
    const { text, headers } = page(problem, request, urls, language)
    return reply.headers(headers).type('text/html; charset=utf-8').send(text)
  }
  return reply
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(toProblemJson(problem, { documentation: urls.documentation, requestId: request.id, language }))
}

/** Returns whether the service refused a request on purpose: a stack for each one would only fill the log. */
export const isOverloadRefusal = (error: unknown): boolean => error instanceof Problem && error.status === 503

/** Returns the problem of any error: an unexpected one is internal and reveals nothing. */
export function toProblem(error: unknown, request: FastifyRequest): Problem {
  if (error instanceof Problem) return error
  const fastifyError = error as Partial<FastifyError> & { code?: string; statusCode?: number }
  if (fastifyError.validation)
    return toValidationProblem(
      { validation: fastifyError.validation, validationContext: fastifyError.validationContext ?? 'body' },
      request,
    )
  if (fastifyError.code !== undefined && Object.hasOwn(fastifyProblems, fastifyError.code))
    return fastifyProblems[fastifyError.code]?.() ?? problems.internal()
  // Fastify checks the content type of QUERY requests before their route, and no route accepts QUERY.
  if (fastifyError.code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE') return unknownRouteProblem(request.server, request)
  if (fastifyError.statusCode === 400) return problems.unreadableBody(text('body_unreadable'))
  if (fastifyError.code === STATEMENT_TIMEOUT && isRead(request)) return problems.queryTimeout()
  if (isUnavailable(error) || fastifyError.statusCode === 503) return problems.unavailable()
  return problems.internal()
}

const isUnavailable = (error: unknown) =>
  [isUnreachable, isTimeout, isConflict, isDiskFull, isOutOfFiles].some((isCause) => isCause(error))

const STATEMENT_TIMEOUT = '57014'

const fastifyProblems: Readonly<Record<string, () => Problem>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: () => problems.unreadableBody(text('body_not_json')),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => problems.unreadableBody(text('body_empty')),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => problems.unreadableBody(text('body_length_wrong')),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => problems.unsupportedMediaType(),
  FST_STATIC_FORBIDDEN_PATH: () => problems.notFound('this_address'),
  FST_ERR_CTP_BODY_TOO_LARGE: () => problems.tooLarge(text('body_too_large')),
}
