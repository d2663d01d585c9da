import type { FastifyRequest } from 'fastify'

import { type Language, languages } from '../../locales/texts.ts'

/** Returns the best match of `Accept-Language`. The user's locale does not count: it is unknown when credentials are refused. */
export function negotiateLanguage(request: FastifyRequest): Language {
  const best = request.language([...languages])
  return languages.find((language) => language === best) ?? 'en'
}

/** The cookie with the language that a user has chosen for the pages. */
export const LANGUAGE_COOKIE = 'language'

/** Returns the language of a page: the chosen one, else the best match of `Accept-Language`. */
export function pageLanguage(request: FastifyRequest): Language {
  return languages.find((language) => language === request.cookies[LANGUAGE_COOKIE]) ?? negotiateLanguage(request)
}
