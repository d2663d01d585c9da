import type { FastifyReply, FastifyRequest } from 'fastify'

import { type Problem, toProblemJson } from '../../errors/problems.ts'
import type { Language } from '../../errors/texts/languages.ts'
import type { Urls } from '../request/urls.ts'
import { negotiateLanguage } from './text-language.ts'

const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  vary: 'Authorization, Cookie, Accept, Accept-Language',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Retry-After, X-Request-Id',
  'x-content-type-options': 'nosniff',
}
const REQUEST_ID = '{request_id}'

/** Returns a function that sends a problem of the API past all later hooks, which take most of the time of a refusal. */
export function earlyRefusal(problem: Problem, urls: Urls): (request: FastifyRequest, reply: FastifyReply) => void {
  const bodies = new Map<Language, readonly string[]>()
  const bodyIn = (language: Language) => {
    const context = { documentation: urls.documentation, requestId: REQUEST_ID, language }
    const parts = bodies.get(language) ?? JSON.stringify(toProblemJson(problem, context)).split(REQUEST_ID)
    bodies.set(language, parts)
    return parts
  }
  return (request, reply) => {
    const { raw } = reply.hijack()
    const language = request.headers['accept-language'] === undefined ? 'en' : negotiateLanguage(request)
    const body = bodyIn(language).join(request.id)
    raw.writeHead(problem.status, {
      ...HEADERS,
      ...problem.headers,
      'content-language': language,
      'x-request-id': request.id,
      'content-length': Buffer.byteLength(body),
    })
    raw.end(request.method === 'HEAD' ? undefined : body)
  }
}
