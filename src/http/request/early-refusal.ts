import type { IncomingMessage, ServerResponse } from 'node:http'

import { type Language, languages } from '../../locales/texts.ts'
import { type Problem, toProblemJson } from '../../errors/problems.ts'
import type { Urls } from './urls.ts'

const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  vary: 'Authorization, Cookie, Accept, Accept-Language',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Retry-After, X-Request-Id',
  'x-content-type-options': 'nosniff',
}
const REQUEST_ID = '{request_id}'

/** Sends a response, and ends it. */
export type Refuse = (request: IncomingMessage, response: ServerResponse, requestId: string) => void

/** Returns a function that sends a problem of the API without Fastify, whose hooks take most of the time of a refusal. */
export function earlyRefusal(problem: Problem, urls: Urls): Refuse {
  const bodies = new Map<Language, readonly string[]>()
  const bodyIn = (language: Language) => {
    const context = { documentation: urls.documentation, requestId: REQUEST_ID, language }
    const parts = bodies.get(language) ?? JSON.stringify(toProblemJson(problem, context)).split(REQUEST_ID)
    bodies.set(language, parts)
    return parts
  }
  return (request, response, requestId) => {
    const language = firstLanguage(request)
    const body = bodyIn(language).join(requestId)
    response.writeHead(problem.status, {
      ...HEADERS,
      ...problem.headers,
      'content-language': language,
      'x-request-id': requestId,
      'content-length': Buffer.byteLength(body),
    })
    response.end(request.method === 'HEAD' ? undefined : body)
  }
}

/** Returns the first language of `Accept-Language`, where browsers put the best one, or English. */
function firstLanguage({ headers }: IncomingMessage): Language {
  const first = headers['accept-language']?.trimStart().slice(0, 2).toLowerCase()
  return languages.find((language) => language === first) ?? 'en'
}
