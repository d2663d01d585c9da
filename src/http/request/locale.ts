import type { FastifyRequest } from 'fastify'

import { type Language, languageOf, languages } from '../../errors/texts/languages.ts'

export const LOCALE = '^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|\\d{3}))?$'
const locale = new RegExp(LOCALE)

/** Returns the client's preferred language (RFC 9110, Accept-Language), or undefined if it names none. */
export function preferredLocale(request: FastifyRequest): string | undefined {
  return request.languages().find((language) => locale.test(language))
}

/** The cookie with the language that a user has chosen for the pages. */
export const LANGUAGE_COOKIE = 'language'

/** Returns the language of a page: the chosen one, else the one that the client prefers. */
export function pageLanguage(request: FastifyRequest): Language {
  const chosen = languages.find((language) => language === request.cookies[LANGUAGE_COOKIE])
  return chosen ?? languageOf(preferredLocale(request) ?? 'en')
}
