import type { FastifyRequest } from 'fastify'

import { type Language, languages } from '../../errors/texts/languages.ts'

/** Returns the best match of `Accept-Language`. The user's locale does not count: it is unknown when credentials are refused. */
export function negotiateLanguage(request: FastifyRequest): Language {
  const best = request.language([...languages])
  return languages.find((language) => language === best) ?? 'en'
}
