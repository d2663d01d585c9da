import type { FastifyRequest } from 'fastify'

import { type Language, languages } from '../../errors/texts/languages.ts'

/**
 * Returns the language of error texts: the best match of `Accept-Language` (RFC 9110, 12.5.4), otherwise English. The user's locale
 * does not count, because it is unknown when credentials are refused.
 */
export function negotiateLanguage(request: FastifyRequest): Language {
  const best = request.language([...languages])
  return languages.find((language) => language === best) ?? 'en'
}
