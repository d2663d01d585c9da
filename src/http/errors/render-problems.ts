import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import { isConflict } from '../../database/conflicts.ts'
import { isUnreachable } from '../../database/unreachable.ts'
import type { Language } from '../../i18n/languages.ts'
import { jsonOf, Problem, problems } from '../../errors/problems.ts'
import { problemIn, textLanguageOf } from './problems-in-languages.ts'
import { unknownAddress } from './unknown-address.ts'
import type { Urls } from '../request/urls.ts'
import { problemOfValidation } from '../validation/validation.ts'

/** A failure as a page, in the language that its texts are in. Faces make pages, so it is handed in. */
export type ProblemPage = (
  problem: Problem,
  request: FastifyRequest,
  urls: Urls,
  language: Language,
) => { text: string; headers: Record<string, string> }

/**
 * The one place where failures become answers. What is not a Problem is ours: it is logged whole and answered without detail.
 * With a `page`, whoever would rather have HTML than JSON gets it.
 */
export function renderProblems(app: FastifyInstance, urls: Urls, page?: ProblemPage): void {
  app.setErrorHandler((error: unknown, request, reply) => {
    const problem = toProblem(error, request)
    if (problem.status >= 500) request.log.error({ err: error }, 'request failed')
    return send(problem, request, reply, urls, page)
  })
  app.setNotFoundHandler((request, reply) => send(unknownAddress(app, request), request, reply, urls, page))
}

function send(failure: Problem, request: FastifyRequest, reply: FastifyReply, urls: Urls, page: ProblemPage | undefined) {
  const language = textLanguageOf(request)
  const problem = problemIn(failure, language)
  void reply.code(problem.status).headers(problem.headers).header('content-language', language)
  // Of the API conditional.ts says what answers vary by.
  if (page) void reply.header('vary', 'Accept, Accept-Language')
  // JSON stands first, so that whoever takes anything gets it.
  if (page && request.accepts().type(['json', 'html']) === 'html') {
    const { text, headers } = page(problem, request, urls, language)
    return reply.headers(headers).type('text/html; charset=utf-8').send(text)
  }
  return reply
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(jsonOf(problem, { documentation: urls.documentation, requestId: request.id }))
}

function toProblem(error: unknown, request: FastifyRequest): Problem {
  if (error instanceof Problem) return error
  const fault = error as Partial<FastifyError> & { code?: string; statusCode?: number }
  if (fault.validation)
    return problemOfValidation({ validation: fault.validation, validationContext: fault.validationContext ?? 'body' }, request)
  if (fault.code !== undefined && Object.hasOwn(ofFastify, fault.code)) return ofFastify[fault.code]?.() ?? problems.internal()
  // Fastify looks for a QUERY's type before it looks for its route, and no route takes QUERY.
  if (fault.code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE') return unknownAddress(request.server, request)
  // What Fastify's parsers could not read, or what ended before it was whole.
  if (fault.statusCode === 400) return problems.unreadableBody('The body cannot be read.')
  if (fault.code === STATEMENT_TIMEOUT) return problems.tookTooLong()
  if (isUnreachable(error) || isConflict(error) || fault.statusCode === 503) return problems.unavailable()
  return problems.internal()
}

const STATEMENT_TIMEOUT = '57014'

const ofFastify: Readonly<Record<string, () => Problem>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: () => problems.unreadableBody('The body is not valid JSON.'),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => problems.unreadableBody('The body is empty, though its type is application/json.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => problems.unreadableBody('The body is not as long as Content-Length says.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => problems.unsupportedMediaType(),
  // What @fastify/static will not look for in its folder.
  FST_STATIC_FORBIDDEN_PATH: () => problems.notFound('This address'),
  FST_ERR_CTP_BODY_TOO_LARGE: () => problems.tooLarge('The body is too large.'),
}
