import type { FastifyRequest } from 'fastify'
import { languageOf, type Texts, textsIn } from '../../locales/texts.ts'
import { chosenLanguage, pageLanguage } from '../../http/errors/text-language.ts'

/** Returns the texts of a page behind the link of a mail: in the chosen language, else in that of the mail, which precedes Accept-Language. */
export const mailPageTexts = (request: FastifyRequest, locale: string | null | undefined): Texts =>
  textsIn(chosenLanguage(request) ?? (locale ? languageOf(locale) : pageLanguage(request)))
