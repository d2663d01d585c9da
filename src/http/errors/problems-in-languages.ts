import type { FastifyRequest } from 'fastify'

import { type Language, languages } from '../../i18n/languages.ts'
import { translate } from '../../i18n/translate.ts'
import { type Faults, Problem, type ProblemBody } from '../../errors/problems.ts'

/**
 * The language of the error texts of an answer: the best of ours by `Accept-Language` (RFC 9110, 12.5.4, with q-values; es-MX is answered
 * in Spanish), else English. A user's own locale does not count: what refuses their credentials would not know it.
 */
export function textLanguageOf(request: FastifyRequest): Language {
  const best = request.language([...languages])
  return languages.find((language) => language === best) ?? 'en'
}

/** The same failure, with its texts in another language. Names of fields, status and headers stay. */
export function problemIn(problem: Problem, language: Language): Problem {
  if (language === 'en') return problem
  const { status, body, headers } = problem
  return new Problem(status, bodyIn(body, language), { ...headers })
}

function bodyIn(body: ProblemBody, language: Language): ProblemBody {
  return body.kind === 'message'
    ? { kind: 'message', message: translate(body.message, language) }
    : { kind: body.kind, fields: faultsIn(body.fields, language) }
}

/** Texts of fields in another language. */
export function faultsIn(faults: Faults, language: Language): Faults {
  if (language === 'en') return faults
  const told = Object.entries(faults).map(([field, fault]) => [
    field,
    typeof fault === 'string' ? translate(fault, language) : fault.map((text) => translate(text, language)),
  ])
  return Object.fromEntries(told) as Faults
}
