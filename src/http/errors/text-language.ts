import type { FastifyRequest } from 'fastify'

import { type Language, type Texts, textsIn, languages } from '../../locales/texts.ts'
import { negotiateLanguage } from '../formats/content-types.ts'

/** Returns the language of a page: the chosen one, else the best match of `Accept-Language`. */
export function pageLanguage(request: FastifyRequest): Language {
  return chosenLanguage(request) ?? negotiateLanguage(request)
}

/** Returns the texts of a page in its language. */
export const pageTexts = (request: FastifyRequest): Texts => textsIn(pageLanguage(request))

/** The cookie with the language that a user has chosen for the pages. */
export const LANGUAGE_COOKIE = 'language'

/** Returns the language that was chosen for the pages at their foot. */
export const chosenLanguage = (request: FastifyRequest): Language | undefined =>
  languages.find((language) => language === request.cookies[LANGUAGE_COOKIE])

export const LOCALE = '^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|\\d{3}))?$'
const locale = new RegExp(LOCALE)

/**
 * Returns the language that was chosen for the pages, else the client's preferred one (RFC 9110, Accept-Language), or undefined if it names
 * none. A chosen language has the region of the preferred one if that is a variety of it.
 */
export function preferredLocale(request: FastifyRequest): string | undefined {
  const preferred = request.languages().find((language) => locale.test(language))
  const chosen = chosenLanguage(request)
  return chosen === undefined || preferred?.toLowerCase().startsWith(`${chosen}-`) ? preferred : chosen
}
