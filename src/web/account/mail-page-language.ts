import type { FastifyRequest } from 'fastify'
import { type Language, languageOf } from '../../locales/texts.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { chosenLanguage } from '../../http/request/locale.ts'

/** Returns the language of a page behind the link of a mail: the chosen one, else that of the mail, which precedes Accept-Language. */
export const mailPageLanguage = (request: FastifyRequest, locale: string | null | undefined): Language =>
  chosenLanguage(request) ?? (locale ? languageOf(locale) : pageLanguage(request))
