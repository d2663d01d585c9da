import type { FastifyReply, FastifyRequest } from 'fastify'

import { inLanguage, type Language, text, type Text } from '../../locales/texts.ts'
import type { Problem } from '../../errors/problems.ts'
import { negotiateLanguage } from '../../http/errors/text-language.ts'
import type { Value } from './document.ts'
import { contentTypes, requestedFormat } from './format.ts'
import { render } from './send.ts'

/** Statuses of GeoReport v2 that differ from those of the API: 400 for any invalid input, 403 for a wrong key. */
const statuses: Readonly<Record<number, number>> = { 401: 403, 422: 400 }

/** The parameters whose names differ from those of the API, whose features check them. */
const parameterNames: Readonly<Record<string, string>> = { lng: 'long', search: 'q' }

/** Sends the list of errors of GeoReport v2 in the requested format: the status as code, and a description in the language of the client. */
export function sendErrors(problem: Problem, request: FastifyRequest, reply: FastifyReply) {
  const language = negotiateLanguage(request)
  const code = statuses[problem.status] ?? problem.status
  const errors = describe(problem, language).map((description): Value => ({ code, description }))
  const format = requestedFormat(request)
  const { 'www-authenticate': _, ...headers } = problem.headers
  return reply
    .code(code)
    .headers(code === problem.status ? problem.headers : headers)
    .header('content-language', language)
    .type(contentTypes[format])
    .serializer((body: unknown) => String(body))
    .send(render({ root: 'errors', value: errors }, format))
}

function describe({ body }: Problem, language: Language): readonly string[] {
  if (body.kind === 'message') return [inLanguage(body.message, language)]
  return Object.entries(body.fields).flatMap(([field, reasons]) => {
    const name = Object.hasOwn(parameterNames, field) ? (parameterNames[field] ?? field) : field
    return toList(reasons).map((reason) => inLanguage(text('parameter_error', { name, reason }), language))
  })
}

const toList = (reasons: Text | readonly Text[]): readonly Text[] => [reasons].flat()
