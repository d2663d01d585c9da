import type { FastifyRequest } from 'fastify'
import { type Language, languageOf, languages } from '../../locales/texts.ts'
import { LANGUAGE_COOKIE, pageLanguage } from '../../http/errors/text-language.ts'

/** Returns the language of a page behind the link of a mail: the chosen one, else that of the mail, which precedes Accept-Language. */
export function mailPageLanguage(request: FastifyRequest, locale: string | null | undefined): Language {
  const isChosen = languages.some((language) => language === request.cookies[LANGUAGE_COOKIE])
  return isChosen || !locale ? pageLanguage(request) : languageOf(locale)
}
